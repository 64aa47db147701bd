package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server that ends whoever started it, which is the worker where there is no jail. Twelve seconds
 * stand for the half minute of a worker's retention.
 */
@DisplayName("A server that takes its worker down")
@Tag("long")
final class WorkerEndingServerTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @Test
    @DisplayName(
            "TEN-10: is quarantined when two workers died, says so, and the third worker lives and"
                    + " serves the others; a rolling restart and one kill quarantine nobody")
    void thirdWorkerLives() throws Exception {
        try (var fleet =
                FleetUnderTest.named("quarantine")
                        .workers(3)
                        .gateways(2)
                        .gateway("quarantine.trial", "1s")
                        .gateway("quarantine.quiet", "10s")
                        .gateway("placement.margin", "1s")
                        .gateway("group.session-timeout", "6s")
                        .gateway("group.heartbeat-interval", "1s")
                        .gateway("link.retention-surplus", "0s")
                        .gateway("link.recovery-margin", "2s")
                        .gateway("link.ping-interval", "500ms")
                        .gateway("link.dead-after", "6s")
                        .worker("link.retention", "12s")
                        .start()) {
            var backend = fleet.backend();
            var innocents = backend.install(fleet.placing().fixtures(6));

            for (int number = 1; number <= 3; number++) {
                fleet.part("worker-" + number).terminate();
                fleet.startWorker(number).awaitReady();
            }
            fleet.part("worker-1").kill();
            fleet.startWorker(1).awaitReady();
            innocents.forEach(each -> awaitServed(fleet, each));
            assertThat(quarantined(fleet)).isEmpty();
            // To the next owners they have run for long.
            for (int number = 1; number <= 2; number++) {
                fleet.part("gateway-" + number).terminate();
                fleet.startGateway(number).awaitReady();
            }
            innocents.forEach(each -> awaitServed(fleet, each));

            // It ends its second worker before anybody is on trial there: for the others the first
            // one was the second already.
            var culprit = Installation.fixture("--kill-parent", "2000");
            backend.configure(culprit, "mcp_installation_created");
            fleet.records()
                    .await(
                            Topic.STATUS,
                            "quarantine of the culprit",
                            1,
                            r ->
                                    r.key().equals(culprit.processId())
                                            && !r.isTombstone()
                                            && r.text("status").equals("error")
                                            && r.text("status_message").contains("2 workers died"),
                            PATIENCE);

            assertThat(living(fleet)).hasSize(1);
            innocents.forEach(each -> awaitServed(fleet, each));
            var refused = backend.call(culprit, "pid", "{}");
            assertThat(refused.text("error/code")).isEqualTo("quarantined");
            assertThat(refused.json().path("error").path("retryable").asBoolean()).isTrue();
            assertThat(living(fleet)).as("the third worker").hasSize(1);
        }
    }

    private static void awaitServed(FleetUnderTest fleet, Installation installation) {
        await().atMost(PATIENCE)
                .until(
                        () ->
                                fleet.backend()
                                        .call(installation, "pid", "{}")
                                        .text("outcome")
                                        .equals("success"));
    }

    private static List<Received> quarantined(FleetUnderTest fleet) {
        return fleet.records().on(Topic.STATUS).stream()
                .filter(r -> !r.isTombstone())
                .filter(r -> r.json().path("status_message").asString("").contains("Quarantined"))
                .toList();
    }

    private static List<String> living(FleetUnderTest fleet) {
        return IntStream.rangeClosed(1, 3)
                .mapToObj(number -> "worker-" + number)
                .filter(name -> fleet.part(name).alive())
                .toList();
    }
}
