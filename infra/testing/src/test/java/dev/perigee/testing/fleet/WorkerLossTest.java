package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.history.LiveServers;
import dev.perigee.testing.history.SteadyLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What it costs when a worker is killed, with default settings; the times that the documentation
 * has are printed here. They count from the kill to the records' own times.
 */
@DisplayName("When a worker is killed, with default settings")
@Tag("long")
final class WorkerLossTest {
    private static final int ON_EACH = 6;
    private static final long CALL_MS = 90_000;

    /** For a busy machine, on which a worker and six servers start; what it took is printed. */
    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    @DisplayName(
            "OWN-13, OWN-14: and its host refuses connections, its servers serve elsewhere soon,"
                    + " and none is twice")
    void provedDead() throws Exception {
        try (var fleet = FleetUnderTest.named("worker-loss-proved").gateways(2).workers(2).start();
                var live = LiveServers.watching()) {
            var loss = new Loss(fleet);

            loss.kill();
            loss.callAll();
            var times = loss.times("killed, its host refuses connections");

            assertThat(times.notOnline()).isLessThan(SOON);
            assertThat(times.answered()).isLessThan(SOON);
            assertThat(live.doubles()).isEmpty();
        }
    }

    @Test
    @DisplayName("OWN-14: and is back at once, its servers serve soon, and none is twice")
    void killedAndBack() throws Exception {
        try (var fleet = FleetUnderTest.named("worker-loss-back").gateways(2).workers(2).start();
                var live = LiveServers.watching()) {
            var loss = new Loss(fleet);

            loss.kill();
            fleet.startWorker(1);
            loss.callAll();
            var times = loss.times("killed and started again at once");

            assertThat(times.answered()).isLessThan(SOON);
            assertThat(live.doubles()).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "OWN-13: and nothing proves its death, none is online 5 s after it is given up, and"
                    + " they serve elsewhere when the window is over")
    void onlyOutOfSight() throws Exception {
        try (var fleet =
                        FleetUnderTest.named("worker-loss-unproved")
                                .faultyPairs()
                                .gateways(2)
                                .workers(2)
                                .start();
                var live = LiveServers.watching()) {
            var loss = new Loss(fleet);

            loss.kill();
            loss.callAll();
            var times = loss.times("killed behind something that accepts connections");

            // It is given up after 25 s.
            assertThat(times.notOnline()).isLessThan(Duration.ofSeconds(25 + 5));
            // 10 s until it noticed, 30 s of retention, 5 s for its watchdog, and the start.
            assertThat(times.answered()).isBetween(Duration.ofSeconds(45), Duration.ofSeconds(55));
            assertThat(live.doubles()).isEmpty();
        }
    }

    /**
     * @param notOnline until the last instance of the worker was told not to be online
     * @param answered until the last call of such an instance was answered by another process
     */
    private record Times(Duration notOnline, Duration answered) {}

    /** Servers on both workers, of which the first is killed. */
    private static final class Loss {
        private final FleetUnderTest fleet;
        private final List<Installation> lost;
        private final List<String> pids;
        private long killedAt;
        private List<String> calls = List.of();

        Loss(FleetUnderTest fleet) {
            this.fleet = fleet;
            var wanted =
                    fleet.placing().fixtures(2 * ON_EACH).stream()
                            .map(SteadyLoad::watched)
                            .toList();
            var installed = fleet.backend().install(wanted);
            this.lost = installed.stream().filter(each -> workerOf(each) == 1).toList();
            assertThat(lost).hasSize(ON_EACH);
            this.pids = lost.stream().map(each -> fleet.backend().text(each, "pid", "{}")).toList();
            lost.forEach(each -> fleet.backend().status(each, "online"));
        }

        private int workerOf(Installation installation) {
            var started = fleet.records().lifecycle(installation, "started");
            return started.text("worker_id").equals(fleet.workerId(1)) ? 1 : 2;
        }

        /** Kills it, and waits until the gateways know: what is sent before may have run. */
        void kill() {
            killedAt = System.currentTimeMillis();
            fleet.part("worker-1").kill();
            for (int number = 1; number <= 2; number++) {
                var gateway = fleet.part("gateway-" + number);
                await().atMost(Records.PATIENCE)
                        .pollInterval(Duration.ofMillis(50))
                        .until(() -> !PartHealth.of(gateway).isReady());
            }
        }

        void callAll() {
            calls =
                    lost.stream()
                            .map(
                                    each ->
                                            fleet.backend()
                                                    .request(
                                                            each,
                                                            "pid",
                                                            "{}",
                                                            r -> r.put("timeout_ms", CALL_MS)))
                            .toList();
        }

        Times times(String what) {
            var answers =
                    calls.stream()
                            .map(
                                    id ->
                                            fleet.records()
                                                    .await(
                                                            Topic.TOOL_RESULTS,
                                                            "an answer",
                                                            1,
                                                            r -> r.text("request_id").equals(id),
                                                            Duration.ofMillis(CALL_MS))
                                                    .getFirst())
                            .toList();
            assertThat(answers).allMatch(each -> each.text("outcome").equals("success"));
            assertThat(answers)
                    .extracting(each -> each.text("result/content/0/text"))
                    .doesNotContainAnyElementsOf(pids);
            var notOnline = new ArrayList<Received>();
            for (var each : lost) {
                var after =
                        fleet.records().on(Topic.STATUS).stream()
                                .filter(r -> r.key().equals(each.processId()))
                                .filter(r -> r.raw().timestamp() >= killedAt)
                                .toList();
                assertThat(after)
                        .extracting(r -> r.text("status"))
                        .startsWith("connecting")
                        .doesNotHaveDuplicates();
                notOnline.add(after.getFirst());
            }
            var times = new Times(last(notOnline), last(answers));
            System.out.printf(
                    "A worker %s: no instance online after %.1f s, all answer after %.1f s%n",
                    what,
                    times.notOnline().toMillis() / 1000.0,
                    times.answered().toMillis() / 1000.0);
            return times;
        }

        private Duration last(List<Received> records) {
            long at =
                    records.stream()
                            .map(each -> each.raw().timestamp())
                            .max(Comparator.naturalOrder())
                            .orElseThrow();
            return Duration.ofMillis(at - killedAt);
        }
    }
}
