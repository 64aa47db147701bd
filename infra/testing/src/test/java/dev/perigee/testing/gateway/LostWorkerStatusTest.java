package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Received;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("OWN-13: When a gateway gives a worker up")
final class LostWorkerStatusTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Map<String, String> FAST = Map.of("group.session-timeout", "6s");
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation online = Installation.of("online", "node", List.of());
    private final Installation other = Installation.of("other", "node", List.of());

    @Test
    @DisplayName("what was online is not, and is again when the worker is found alive")
    void foundAlive() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var _ = test.start("a", FAST)) {
            installed(test);

            test.fleet.cut();

            awaitStatuses(test, "online", "connecting", "online");
            var told = statuses(test, online);
            var lost = told.get(1);
            assertThat(lost.header("ce_id")).startsWith(online.processId() + "/").endsWith("/lost");
            assertThat(told.get(2).header("ce_id")).endsWith("/found");
            assertThat(lost.text("previous_status")).isEqualTo("online");
            assertThat(lost.text("status_message")).contains("Its worker was lost");
            assertThat(lost.text("worker_id")).isEqualTo(HandMadeFleet.WORKER);
            assertThat(lost.text("installation_id")).isNotEmpty();
            assertThat(lost.text("seq")).isEqualTo("0");
            assertThat(statuses(test, other)).hasSize(1);
        }
    }

    @Test
    @DisplayName("what was online is not, and the next worker goes on from there")
    void startsAgain() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var _ = test.start("a", FAST)) {
            installed(test);
            int before = test.fleet.applied.size();

            test.fleet.restart();

            await().atMost(PATIENCE).until(() -> test.fleet.applied.size() == before + 2);
            awaitStatuses(test, "online", "connecting");
            var restored =
                    test.fleet.applied.stream()
                            .filter(a -> a.config().processId().equals(online.processId()))
                            .toList()
                            .getLast();
            assertThat(Objects.requireNonNull(restored.durable()).text())
                    .contains("\"status\":\"connecting\"", "\"synced\":true");
        }
    }

    /** Two, of which one has told that it is online, and had that remembered. */
    private void installed(GatewayUnderTest test) {
        test.backend.install(List.of(online, other));
        test.fleet
                .session(test.partition(online))
                .emit(
                        online.processId(),
                        EventType.TOOLS_UPDATED,
                        online.processId(),
                        RawJson.of("{}"),
                        RawJson.of("{\"status\":\"online\",\"synced\":true}"),
                        null);
        for (var each : List.of(online, other)) { // Else what is not would be said again.
            test.backend.status(each, "online");
            await().atMost(PATIENCE)
                    .until(
                            () ->
                                    test.fleet
                                            .session(test.partition(each))
                                            .unacknowledged()
                                            .isEmpty());
        }
    }

    private void awaitStatuses(GatewayUnderTest test, String... expected) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () ->
                                assertThat(statuses(test, online))
                                        .extracting(r -> r.text("status"))
                                        .startsWith(expected));
    }

    private static List<Received> statuses(GatewayUnderTest test, Installation installation) {
        return test.records.on(Topic.STATUS).stream()
                .filter(r -> r.key().equals(installation.processId()))
                .toList();
    }
}
