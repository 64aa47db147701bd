package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.utils.Utils;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Partitions that are added to the topics of a live fleet")
final class AddedPartitionsTest {
    /** Within which it is said, as docs/guarantees.md promises. */
    private static final Duration SAID = Duration.ofSeconds(10);

    private static final int BEFORE = 4;
    private static final int AFTER = 8;
    private static final TopicNames NAMES = new TopicNames(TopicNames.DEFAULT_PREFIX);
    private static final List<Topic> ALL =
            Arrays.stream(Topic.values()).filter(Topic::isProcessPartitioned).toList();

    /** The consumer learns of new partitions within a second instead of five minutes. */
    @Test
    @DisplayName(
            "to one topic, then to all, are said, nobody else is concerned, and no process is left"
                    + " behind")
    void added() throws Exception {
        try (var fleet =
                FleetUnderTest.named("partitions-added")
                        .partitions(BEFORE)
                        .gateway("kafka.metadata.max.age.ms", "1000")
                        .gateway("group.session-timeout", "6s")
                        .gateway("group.heartbeat-interval", "1s")
                        .gateway("link.retention-surplus", "0s")
                        .worker("link.retention", "8s")
                        .start()) {
            var backend = fleet.backend();
            var stays = backend.install(user(true));
            var leaves = backend.install(user(true));
            var moved = backend.install(user(false));
            var gateway = fleet.part("gateway-1");

            add(fleet, List.of(Topic.COMMANDS));

            awaitProblem(fleet, List.of(Topic.COMMANDS));
            for (int call = 0; call < 5; call++) {
                assertThat(backend.text(stays, "pid", "{}")).isNotEmpty();
            }
            var other = backend.install(user(true));
            assertThat(backend.uninstall(other).text("outcome")).isEqualTo("completed");
            assertThat(PartHealth.of(gateway).body()).doesNotContain("partition-");

            add(fleet, ALL.stream().filter(topic -> topic != Topic.COMMANDS).toList());

            awaitProblem(fleet, ALL);
            assertThat(backend.text(stays, "pid", "{}")).isNotEmpty();
            assertThat(backend.uninstall(leaves).text("outcome")).isEqualTo("completed");
            assertThat(logged(gateway)).isEqualTo(1);
            try (var partitioningAnew = backend.compressing("none")) {
                var refused = partitioningAnew.call(moved, "pid", "{}");
                assertThat(refused.text("error/code")).isEqualTo("invalid_request");
                assertThat(refused.text("error/message")).contains("of 4");
            }

            var second = fleet.startGateway(2);
            assertThat(second.awaitExit()).isNotZero();
            assertThat(second.output())
                    .contains("mcp.commands has 8", "expected are 4", "delete the topics");
            assertThat(backend.text(stays, "pid", "{}")).isNotEmpty();
            assertThat(fleet.processesOfServers()).as(moved.processId()).isNotEmpty();

            gateway.terminate();
            var again = fleet.startGateway(1);
            assertThat(again.awaitExit()).isNotZero();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .pollInterval(200, TimeUnit.MILLISECONDS)
                    .untilAsserted(() -> assertThat(fleet.processesOfServers()).isEmpty());
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "OWN-11: to all or to one, default settings: refused by the tool, said, and by the"
                    + " tool every process is uninstalled")
    void everyProcessIsUninstalled(boolean all) throws Exception {
        var topics = all ? ALL : List.of(Topic.COMMANDS);
        try (var fleet =
                FleetUnderTest.named("partitions-added-" + topics.size())
                        .partitions(BEFORE)
                        .gateways(2)
                        .workers(2)
                        .start()) {
            int helpers = fleet.processesOfServers().size();
            var backend = fleet.backend();
            var users = List.of(user(true), user(true), user(false), user(false));
            backend.install(users);

            var grown = tool(fleet, "topics", "--partitions", Integer.toString(AFTER));
            assertThat(grown.exitCode()).isEqualTo(1);
            assertThat(grown.output()).contains("never changed in place");
            assertThat(PartHealth.of(fleet.part("gateway-1")).body())
                    .doesNotContain("expected are");

            add(fleet, topics);
            awaitProblem(fleet, topics);
            assertThat(PartHealth.of(fleet.part("gateway-1")).body()).contains("--partitions 4");
            for (var user : users) {
                var deleted =
                        tool(
                                fleet,
                                "delete",
                                "--partitions",
                                Integer.toString(BEFORE),
                                "--team",
                                user.teamId(),
                                "--user",
                                user.userId(),
                                user.installationId());
                assertThat(deleted.exitCode()).as(deleted.output()).isZero();
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> fleet.processesOfServers().size() <= helpers);

            fleet.part("gateway-1").terminate();
            assertThat(fleet.startGateway(1).awaitExit()).isNotZero();
        }
    }

    private static InProcessRun tool(FleetUnderTest fleet, String... words) {
        var arguments = new ArrayList<>(List.of(words));
        arguments.addAll(List.of("--bootstrap", fleet.bootstrap()));
        return InProcessRun.here(arguments);
    }

    /** A user whose key belongs to the same partition by both counts, or does not. */
    private static Installation user(boolean same) {
        return Stream.generate(Installation::fixture)
                .filter(user -> (partition(user, BEFORE) == partition(user, AFTER)) == same)
                .findFirst()
                .orElseThrow();
    }

    private static int partition(Installation user, int count) {
        var key = user.key().getBytes(StandardCharsets.UTF_8);
        return Utils.toPositive(Utils.murmur2(key)) % count;
    }

    private static void add(FleetUnderTest fleet, List<Topic> topics) throws Exception {
        try (var admin =
                Admin.create(Map.<String, Object>of("bootstrap.servers", fleet.bootstrap()))) {
            admin.createPartitions(
                            topics.stream()
                                    .collect(
                                            Collectors.toMap(
                                                    NAMES::of,
                                                    _ -> NewPartitions.increaseTo(AFTER))))
                    .all()
                    .get();
        }
    }

    private static void awaitProblem(FleetUnderTest fleet, List<Topic> topics) {
        Awaitility.await()
                .atMost(SAID)
                .pollInterval(200, TimeUnit.MILLISECONDS)
                .untilAsserted(
                        () -> {
                            var health = PartHealth.of(fleet.part("gateway-1"));
                            assertThat(health.isReady()).isFalse();
                            assertThat(health.body()).contains("expected are 4");
                            for (var topic : topics) {
                                assertThat(health.body()).contains(NAMES.of(topic) + " has 8");
                            }
                        });
    }

    private static long logged(Part gateway) {
        return gateway.output().lines().filter(line -> line.contains("changed in place")).count();
    }
}
