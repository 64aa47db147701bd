package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All of them on one worker, asleep since nobody called them for three minutes. */
@DisplayName("Servers that sleep on a worker that is lost, or drained, with default settings,")
@Tag("long")
final class SleepersTest {
    private static final int SLEEPERS = 5_000;
    private static final int AT_ONCE = 500;

    /** A process takes four descriptors of its worker. */
    private static final int AWAKE = 2_500;

    private static final int WOKEN = 25;
    private static final int HEAP_MEBIBYTES = 700;
    private static final Duration PATIENCE = Duration.ofMinutes(6);

    /** What tells of a new process. */
    private static final Set<String> STARTS =
            Set.of("mcp.server.started", "mcp.server.restarted", "mcp.server.respawned");

    @Test
    @DisplayName("OWN-15: sleep on, listed with their tools, wake by a call: 5,000 cost no process")
    void sleepOn() throws Exception {
        try (var fleet =
                FleetUnderTest.named("sleepers")
                        .gateways(2)
                        .workers(2)
                        .heap("gateway", HEAP_MEBIBYTES)
                        .heap("worker", HEAP_MEBIBYTES)
                        .start()) {
            int helpers = fleet.processesOfServers().size();
            var all = new Sleepers(fleet);
            all.install();
            awaitProcesses(fleet, helpers);

            long lost = System.currentTimeMillis();
            fleet.part("worker-1").kill();
            all.await(Topic.STATUS, r -> isAfter(r, lost) && r.text("status").equals("online"));
            awaitDormant(fleet, 2, lost, SLEEPERS);
            all.areListed();
            assertThat(all.startedSince(lost)).isEmpty();
            assertThat(fleet.processesOfServers()).hasSizeLessThanOrEqualTo(helpers);
            System.out.printf(
                    "%d sleepers of a lost worker: all online again after %.1f s%n",
                    SLEEPERS, (all.lastOnline() - lost) / 1000.0);

            fleet.startWorker(1).awaitReady();
            var woken = all.wake();
            assertThat(all.startedSince(lost)).isEqualTo(woken);

            long drained = System.currentTimeMillis();
            var drain = new Drains(fleet).of(2, "--timeout", "50s");
            assertThat(drain.awaitExit()).as(drain.output()).isZero();
            awaitDormant(fleet, 1, drained, SLEEPERS - WOKEN);
            all.areListed();
            assertThat(woken).containsAll(all.startedSince(drained));
            assertThat(fleet.processesOfServers()).hasSizeLessThanOrEqualTo(helpers + WOKEN);
        }
    }

    private static boolean isAfter(Received record, long moment) {
        return record.raw().timestamp() >= moment;
    }

    private static void awaitProcesses(FleetUnderTest fleet, int count) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> fleet.processesOfServers().size() <= count);
    }

    /** A worker tells every half minute how many sleep there. */
    private static void awaitDormant(FleetUnderTest fleet, int worker, long since, int count) {
        var _ =
                fleet.records()
                        .await(
                                Topic.HEARTBEATS,
                                count + " dormant instances",
                                1,
                                r ->
                                        r.key().equals(fleet.workerId(worker))
                                                && isAfter(r, since)
                                                && r.json().path("dormant_count").asInt() >= count,
                                PATIENCE);
    }

    /** Shells of users whom the first worker serves. */
    private static final class Sleepers {
        private final FleetUnderTest fleet;
        private final List<Installation> servers;
        private final List<String> ids;

        Sleepers(FleetUnderTest fleet) {
            this.fleet = fleet;
            var placing = fleet.placing();
            this.servers =
                    Stream.generate(() -> placing.on(1, Sleepers::small)).limit(SLEEPERS).toList();
            this.ids = servers.stream().map(Installation::processId).toList();
        }

        private static Installation small() {
            return Installation.of("small", "sh", List.of(Fixtures.smallScript().toString()));
        }

        /**
         * A part of them at a time, or the last would wait longer than commands may, and the next
         * when those before are asleep.
         */
        void install() {
            for (int from = 0; from < SLEEPERS; from += AT_ONCE) {
                var commands = new ArrayList<String>();
                for (var server : servers.subList(from, from + AT_ONCE)) {
                    commands.add(fleet.backend().configure(server, "mcp_installation_created"));
                }
                assertThat(
                                fleet.records()
                                        .awaitEach(
                                                Topic.COMMAND_RESULTS,
                                                r ->
                                                        r.text("outcome").equals("completed")
                                                                ? r.text("command_id")
                                                                : "",
                                                commands,
                                                PATIENCE))
                        .isEmpty();
                int installed = from + AT_ONCE;
                if (installed % AWAKE == 0) {
                    await(
                            Topic.LIFECYCLE,
                            r -> r.text("event").equals("mcp.server.dormant"),
                            ids.subList(0, installed));
                }
            }
        }

        /** Waits until each of them has such a record. */
        void await(Topic topic, Predicate<Received> wanted) {
            await(topic, wanted, ids);
        }

        private void await(Topic topic, Predicate<Received> wanted, List<String> ids) {
            assertThat(
                            fleet.records()
                                    .awaitEach(
                                            topic,
                                            r -> wanted.test(r) ? r.key() : "",
                                            ids,
                                            PATIENCE))
                    .isEmpty();
        }

        /** Asks for each user, who has this one server. */
        void areListed() {
            var requests = new ArrayList<String>();
            for (var server : servers) {
                requests.add(
                        fleet.backend()
                                .request(
                                        server,
                                        "",
                                        "{}",
                                        r -> r.put("method", "tools/list").putNull("tool_path")));
            }
            assertThat(
                            fleet.records()
                                    .awaitEach(
                                            Topic.TOOL_RESULTS,
                                            r -> lists(r) ? r.text("request_id") : "",
                                            requests,
                                            PATIENCE))
                    .isEmpty();
        }

        private static boolean lists(Received answer) {
            return answer.text("result/tools/0/tool_path").equals("small:pid");
        }

        /** Calls some of them. */
        Set<String> wake() {
            var some = servers.subList(0, WOKEN);
            assertThat(some.stream().map(each -> fleet.backend().text(each, "pid", "{}")))
                    .doesNotHaveDuplicates();
            return some.stream().map(Installation::processId).collect(Collectors.toSet());
        }

        /** Those that have had a new process since. */
        Set<String> startedSince(long moment) {
            var own = new HashSet<>(ids);
            return fleet.records().on(Topic.LIFECYCLE).stream()
                    .filter(r -> isAfter(r, moment) && STARTS.contains(r.text("event")))
                    .map(Received::key)
                    .filter(own::contains)
                    .collect(Collectors.toSet());
        }

        long lastOnline() {
            return fleet.records().on(Topic.STATUS).stream()
                    .filter(r -> r.text("status").equals("online"))
                    .mapToLong(r -> r.raw().timestamp())
                    .max()
                    .orElseThrow();
        }
    }
}
