package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Records;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("A command for every user of a team")
final class BroadcastTest {
    private static final int USERS = 8; // On all of the four partitions, with these names.
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation = Installation.of("echo", "node", List.of());
    private final List<Installation> ofAll =
            IntStream.range(0, USERS).mapToObj(i -> installation.ofUser("u" + i)).toList();
    @AutoClose private GatewayUnderTest test;

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
    }

    @Test
    @DisplayName("PRO-68, PRO-111: reaches their instances on every partition and has one result")
    void reachesEveryPartition() throws Exception {
        var other = Installation.of("echo", "node", List.of());
        try (var _ = test.start("a")) {
            ofAll.forEach(test.backend::install);
            test.backend.install(other);

            var id = test.backend.deleteForAll(installation);

            assertRemovedAll(id);
            assertThat(outcomes(id)).containsExactly("acknowledged", "completed");
            assertThat(test.backend.call(ofAll.getFirst(), "echo", "{}").text("error/code"))
                    .isEqualTo("unknown_server");
            assertThat(test.backend.call(other, "echo", "{}").text("outcome")).isEqualTo("success");
        }
    }

    @Test
    @DisplayName("ends as any other when there is nothing it could be about")
    void endsWithoutInstances() throws Exception {
        try (var _ = test.start("a")) {
            var deleted = test.backend.result(test.backend.deleteForAll(installation));
            assertThat(deleted.text("outcome")).isEqualTo("completed");
            assertThat(deleted.text("result/active")).isEqualTo("false");

            var restarted =
                    test.backend.result(
                            test.backend.commandForAll(installation, "restart", it -> it));
            assertThat(restarted.text("outcome")).isEqualTo("failed");
            assertThat(restarted.text("error/code")).isEqualTo("not_found");
        }
    }

    @Test
    @DisplayName("is finished by the next gateway, whatever it finds done, with one result")
    void survivesTheGateway() throws Exception {
        test.fleet.removals = new CountDownLatch(1);
        String id;
        try (var _ = test.start("a")) {
            ofAll.forEach(test.backend::install);
            id = test.backend.deleteForAll(installation);
            await().atMost(Records.PATIENCE).until(() -> removals() == USERS);
        }
        await().atMost(Records.PATIENCE).until(() -> !outcomes(id).isEmpty());
        assertThat(outcomes(id)).containsExactly("acknowledged");
        test.fleet.removals.countDown();
        try (var _ = test.start("b")) {
            assertRemovedAll(id);
            assertThat(outcomes(id)).containsExactly("acknowledged", "completed");
        }
    }

    @Test
    @DisplayName("leaves alone what was configured after it, though its copies come later still")
    void leavesTheNewAlone() throws Exception {
        var id = test.backend.deleteForAll(installation);
        ofAll.forEach(it -> test.backend.configure(it, "mcp_installation_created"));
        try (var _ = test.start("a")) {
            assertThat(test.backend.result(id).text("outcome")).isEqualTo("completed");
            for (var each : ofAll) {
                test.backend.status(each, "online");
                assertThat(test.backend.call(each, "echo", "{}").text("outcome"))
                        .isEqualTo("success");
            }
        }
    }

    @Test
    @DisplayName("runs once when it is sent twice, and not at all when its time is over")
    void runsOnce() throws Exception {
        try (var _ = test.start("a")) {
            ofAll.forEach(test.backend::install);
            var late =
                    test.backend.commandForAll(
                            installation,
                            "kill",
                            it -> it.put("expires_at", "2020-01-01T00:00:00Z"));
            assertThat(test.backend.result(late).text("outcome")).isEqualTo("expired");

            var id = test.backend.commandForAll(installation, "kill", it -> it);
            assertThat(test.backend.result(id).json().at("/result/instances")).hasSize(USERS);
            test.backend.commandForAll(installation, "kill", it -> it.put("id", id));
            var last = test.backend.commandForAll(installation, "restart", it -> it);
            assertThat(test.backend.result(last).text("outcome")).isEqualTo("completed");

            assertThat(outcomes(id)).containsExactly("acknowledged", "completed");
            assertThat(test.fleet.orders.stream().filter(it -> it.contains("stop"))).hasSize(USERS);
        }
    }

    @Test
    @DisplayName("PRO-111: has one result for each team, though both teams' commands have one id")
    void endsBesideAnotherOfItsId() throws Exception {
        var id = "cmd-" + UUID.randomUUID();
        try (var _ = test.start("a")) {
            int place = partition(installation);
            var other =
                    Stream.generate(() -> Installation.of("echo", "node", List.of()))
                            .filter(it -> partition(it) != place)
                            .findFirst()
                            .orElseThrow();
            for (var each : List.of(installation, other)) {
                test.backend.commandForAll(each, "restart", it -> it.put("id", id));
            }
            await().atMost(Records.PATIENCE)
                    .until(() -> outcomes(id).stream().filter("failed"::equals).count() == 2);
        }
    }

    private static int partition(Installation installation) {
        var key = (installation.teamId() + "/*").getBytes(StandardCharsets.UTF_8);
        return Utils.toPositive(Utils.murmur2(key)) % GatewayUnderTest.PARTITIONS;
    }

    @Test
    @DisplayName("needs a configuration's user")
    void refusesAConfiguration() throws Exception {
        try (var _ = test.start("a")) {
            var id =
                    test.backend.commandForAll(
                            installation,
                            "configure",
                            command -> {
                                ((ObjectNode) command.get("payload"))
                                        .put("event", "mcp_installation_created")
                                        .set("config", installation.config());
                                return command;
                            });
            assertThat(test.backend.result(id).text("outcome")).isEqualTo("rejected");
        }
    }

    private void assertRemovedAll(String id) {
        var result = test.backend.result(id);
        assertThat(result.text("outcome")).as(result.toString()).isEqualTo("completed");
        assertThat(result.json().at("/result/instances"))
                .extracting(it -> it.path("process_id").asString())
                .containsExactlyInAnyOrderElementsOf(
                        ofAll.stream().map(Installation::processId).toList());
        assertThat(result.json().at("/result/instances"))
                .extracting(it -> it.path("outcome").asString())
                .containsOnly("completed");
    }

    private long removals() {
        return test.fleet.orders.stream().filter(it -> it.contains("remove")).count();
    }

    private List<String> outcomes(String commandId) {
        return test.records.on(Topic.COMMAND_RESULTS).stream()
                .filter(it -> it.text("command_id").equals(commandId))
                .map(it -> it.text("outcome"))
                .toList();
    }
}
