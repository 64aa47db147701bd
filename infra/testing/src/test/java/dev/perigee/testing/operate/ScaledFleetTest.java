package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.testing.fleet.Backend;
import dev.perigee.testing.fleet.Drains;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** This test is the autoscaler: it reads what workers want, starts one and drains one. */
@DisplayName("A fleet on one machine that is scaled by what its workers want")
@Tag("long")
final class ScaledFleetTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Servers that a worker is to have. */
    private static final int EACH = 4;

    private static final String WANTED = "perigee_worker_servers_wanted";

    @Test
    @DisplayName(
            "OPS-12: gets a worker when more servers are wanted, drains it when fewer are, and loses no call")
    void scales() throws Exception {
        try (var fleet =
                FleetUnderTest.named("scaled")
                        .partitions(2 * EACH)
                        .spareWorkers(1)
                        .gateway("placement.settle", "1s")
                        .gateway("placement.move-interval", "50ms")
                        .gateway("placement.move-live-interval", "200ms")
                        .start()) {
            var backend = fleet.backend();
            var servers = fleet.placing(2).onEach();
            var first = backend.install(servers.subList(0, EACH));
            awaitWanted(fleet, 1, 1);

            var second = backend.install(servers.subList(EACH, 2 * EACH));
            awaitWanted(fleet, 1, 2);
            assertThat(memoryWanted(fleet, 1)).isBetween(1.0, 1e12);

            fleet.startWorker(2).awaitReady();
            await().atMost(PATIENCE).until(() -> wanted(fleet, 2) > 0);
            awaitWanted(fleet, 2, 2);
            answers(backend, servers);

            first.forEach(backend::uninstall);
            awaitWanted(fleet, 2, 1);

            try (var calls = SteadyCalls.of(backend, second)) {
                calls.awaitSent(25);
                var drain = new Drains(fleet).of(2, "--timeout", "50s");
                assertThat(drain.awaitExit()).as(drain.output()).isZero();
                assertThat(wanted(fleet, 2)).isZero();
                await().atMost(PATIENCE).until(() -> memoryWanted(fleet, 2) == 0);
                fleet.part("worker-2").terminate();
                calls.awaitSent(calls.sent() + 25);
                assertThat(backend.answers(calls.stop()))
                        .allSatisfy(it -> assertThat(it.text("outcome")).isEqualTo("success"));
            }
            answers(backend, second);
            awaitWanted(fleet, 1, 1);
        }
    }

    /** Waits until what those want that are there is enough for so many workers. */
    private static void awaitWanted(FleetUnderTest fleet, int there, int workers) {
        await().atMost(PATIENCE)
                .until(
                        () -> {
                            double all = 0;
                            for (int worker = 1; worker <= there; worker++) {
                                all += wanted(fleet, worker);
                            }
                            return Math.ceil(all / EACH) == workers;
                        });
    }

    private static double wanted(FleetUnderTest fleet, int worker) throws IOException {
        return metric(fleet, worker, WANTED);
    }

    private static double memoryWanted(FleetUnderTest fleet, int worker) throws IOException {
        return metric(fleet, worker, "perigee_worker_servers_memory_wanted_bytes");
    }

    private static double metric(FleetUnderTest fleet, int worker, String name) throws IOException {
        var admin = URI.create(fleet.part("worker-" + worker).field("admin"));
        try (var body = admin.resolve("/metrics").toURL().openStream()) {
            return Scrape.of(new String(body.readAllBytes(), StandardCharsets.UTF_8))
                    .sum(name, Map.of());
        }
    }

    private static void answers(Backend backend, List<Installation> servers) {
        for (var server : servers) {
            assertThat(backend.text(server, "echo", "{\"message\":\"x\"}")).isEqualTo("x");
        }
    }
}
