package dev.perigee.gateway.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A command of a partition")
final class CommandFlowTest {
    @AutoClose private final OwnedPartition partition = new OwnedPartition();

    @Test
    @DisplayName(
            "installs: what is wanted is durable before the worker is ordered, then its result")
    void installs() {
        var session = partition.serve();
        session.obey(false);
        configure("c-1", "i-1", "node");

        assertThat(partition.result("c-1", 1).outcome()).isEqualTo(CommandOutcome.ACKNOWLEDGED);
        TestWaits.until("ordered", () -> session.orders.size() == 1);
        var order = session.orders.getFirst();
        assertThat(order.method).isEqualTo(LinkMethod.APPLY);
        assertThat(order.apply().cause()).isEqualTo(InstanceOrder.Cause.CREATED);
        var name = StateRecord.INSTANCE_PREFIX + order.processId();
        assertThat(partition.stateNames()).contains(name, "command/c-1");
        assertThat(order.apply().startToken()).isEqualTo(partition.stateNames().indexOf(name));
        assertThat(commandsCommitted()).isZero();

        order.complete();

        var result = partition.result("c-1", 2);
        assertThat(result.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(result.processId()).isEqualTo(order.processId());
        assertThat(commandsCommitted()).isEqualTo(1);
        TestWaits.until("committed", () -> session.asked.contains("committed mcp.commands 1"));
    }

    @Test
    @DisplayName("that the worker rejects installs nothing")
    void rejectedByTheWorker() {
        var session = partition.serve();
        session.obey(false);
        configure("c-1", "i-1", "node");
        TestWaits.until("ordered", () -> session.orders.size() == 1);

        session.orders
                .getFirst()
                .end(CommandOutcome.REJECTED, new CommandError("invalid", "the worker says so"));

        assertThat(error(partition.result("c-1", 2)).code()).isEqualTo("invalid");
        var id = session.orders.getFirst().processId();
        assertThat(partition.stateNames()).contains("-instance/" + id, "-runtime/" + id);
    }

    @Test
    @DisplayName("that the worker rejects leaves the configuration that was there")
    void rejectedUpdate() {
        var id = partition.installed("i-1");
        var session = partition.serve();
        session.obey(false);
        configure("c-1", "i-1", "another");
        TestWaits.until("ordered", () -> orders(session, LinkMethod.APPLY).size() == 2);

        orders(session, LinkMethod.APPLY).getLast().end(CommandOutcome.REJECTED, null);

        assertThat(partition.result("c-1", 2).outcome()).isEqualTo(CommandOutcome.REJECTED);
        assertThat(partition.stateNames())
                .filteredOn(name -> name.endsWith("instance/" + id))
                .hasSize(3);
        assertThat(OwnedPartition.text(written("instance/" + id).getLast().value()))
                .contains("\"node\"");
    }

    @Test
    @DisplayName("deletes: the worker first, then what is wanted")
    void deletes() {
        var id = partition.installed("i-1");
        var session = partition.serve();
        about("c-1", "configure", "mcp_installation_deleted", "i-1");

        assertThat(partition.result("c-1", 2).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(orders(session, LinkMethod.REMOVE)).hasSize(1);
        assertThat(partition.stateNames()).contains("-instance/" + id, "-runtime/" + id);
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "kill, , instance/stop",
        "restart, , instance/restart",
        "spawn, , instance/apply",
        "configure, mcp_recovery, instance/recover",
        "configure, mcp_installation_deleted, instance/remove"
    })
    @DisplayName("about an installation is an order of its own kind")
    void kinds(String type, @Nullable String event, String method) {
        partition.installed("i-1");
        var session = partition.serve();
        int before = session.orders.size();
        about("c-1", type, event, "i-1");

        assertThat(partition.result("c-1", 2).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(session.orders.subList(before, session.orders.size()))
                .singleElement()
                .satisfies(order -> assertThat(order.method).isEqualTo(method));
    }

    @Test
    @DisplayName("switches a tool, checks health, and removes a member's installations")
    void otherKinds() {
        partition.installed("i-1");
        partition.installed("i-2");
        var session = partition.serve();
        partition.command(
                """
                {"id":"c-1","command_type":"configure","payload":{"action":"update_tool_status",
                 "installation_id":"i-1","team_id":"t1","user_id":"alice","tool_name":"echo",
                 "is_disabled":true}}""");
        partition.command(
                """
                {"id":"c-2","command_type":"health_check","payload":{"installation_id":"i-1",
                 "team_id":"t1","user_id":"alice","check_type":"connectivity"}}""");
        partition.command(
                """
                {"id":"c-3","command_type":"configure","payload":{"event":"team_member_removed",
                 "team_id":"t1","user_id":"alice"}}""");

        partition.result("c-1", 2);
        partition.result("c-2", 2);
        var removed = partition.result("c-3", 2);

        assertThat(orders(session, LinkMethod.SWITCH_TOOL)).hasSize(1);
        assertThat(orders(session, LinkMethod.HEALTH_CHECK)).hasSize(1);
        assertThat(orders(session, LinkMethod.REMOVE)).hasSize(2);
        assertThat(Objects.requireNonNull(removed.result()).instances()).hasSize(2);
    }

    @Test
    @DisplayName("about what is not there fails, and nobody is asked")
    void notFound() {
        var session = partition.serve();
        about("c-1", "restart", null, "i-1");

        assertThat(error(partition.result("c-1", 1)).code()).isEqualTo("not_found");
        assertThat(session.orders).isEmpty();
    }

    @Test
    @DisplayName("accepted after its time has expired")
    void expired() {
        partition.serve();
        partition.command(
                """
                {"id":"c-1","command_type":"kill","expires_at":"2026-11-24T09:59:59Z",
                 "payload":{"installation_id":"i-1","team_id":"t1","user_id":"alice"}}""");
        assertThat(partition.result("c-1", 1).outcome()).isEqualTo(CommandOutcome.EXPIRED);
    }

    @Test
    @DisplayName("whose id was there before is not run again")
    void repeated() {
        var session = partition.serve();
        configure("c-1", "i-1", "node");
        partition.result("c-1", 2);
        configure("c-1", "i-1", "node");
        configure("c-2", "i-2", "node");
        partition.result("c-2", 2);

        assertThat(orders(session, LinkMethod.APPLY)).hasSize(2);
        assertThat(partition.results("c-1")).hasSize(2);
        assertThat(partition.count("perigee.gateway.duplicates", "topic", "commands")).isEqualTo(1);
        TestWaits.until("committed", () -> commandsCommitted() == 3);
    }

    @Test
    @DisplayName("that an earlier owner had accepted is ordered again, and not acknowledged again")
    void acceptedBefore() {
        partition.before(
                partition
                        .stateTopic()
                        .command(
                                "c-1",
                                new StateRecord.Remembered(
                                        new RecordOrigin("mcp.commands", 0, 0),
                                        null,
                                        partition.now())));
        partition.installed("i-1");
        var session = partition.serve();
        about("c-1", "restart", null, "i-1");

        assertThat(partition.result("c-1", 1).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(orders(session, LinkMethod.RESTART)).hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "dance, FAILED, unsupported",
        "restart, FAILED, invalid",
        "configure, REJECTED, invalid"
    })
    @DisplayName("that cannot be acted on has a result and a dead letter")
    void rejected(String type, CommandOutcome outcome, String code) {
        partition.serve();
        partition.command(
                """
                {"id":"c-1","command_type":"%s","payload":{"config":%s,"team_id":"t1",
                 "user_id":"alice"}}"""
                        .formatted(type, type.equals("configure") ? "{}" : "null"));

        var result = partition.result("c-1", 1);

        assertThat(result.outcome()).isEqualTo(outcome);
        assertThat(error(result).code()).isEqualTo(code);
        assertThat(partition.written(Topic.DEAD_LETTERS)).hasSize(1);
        TestWaits.until("committed", () -> commandsCommitted() == 1);
    }

    @Test
    @DisplayName("of nobody has a dead letter alone")
    void rejectedOfNobody() {
        partition.serve();
        partition.command("not json");
        TestWaits.until("committed", () -> commandsCommitted() == 1);
        assertThat(partition.written(Topic.DEAD_LETTERS))
                .singleElement()
                .satisfies(
                        letter ->
                                assertThat(letter.headers().lastHeader(Headers.REASON).value())
                                        .isEqualTo("malformed".getBytes(UTF_8)));
        assertThat(partition.values(Topic.COMMAND_RESULTS)).isEmpty();
    }

    @Test
    @DisplayName("waits for a session once it is accepted")
    void beforeASession() {
        partition.begin();
        var session = partition.opened(1);
        configure("c-1", "i-1", "node");
        assertThat(partition.result("c-1", 1).outcome()).isEqualTo(CommandOutcome.ACKNOWLEDGED);
        assertThat(session.orders).isEmpty();

        session.attach();

        assertThat(partition.result("c-1", 2).outcome()).isEqualTo(CommandOutcome.COMPLETED);
    }

    @Test
    @DisplayName("whose order is lost with its session is ordered in the next one")
    void lostWithItsSession() {
        var first = partition.serve();
        first.obey(false);
        configure("c-1", "i-1", "node");
        TestWaits.until("ordered", () -> first.orders.size() == 1);

        first.orders.getFirst().fail(Reason.LOST);
        first.lose(LinkFailure.ENDED);
        var second = partition.opened(2);
        second.attach();

        assertThat(partition.result("c-1", 2).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(orders(second, LinkMethod.APPLY)).hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"DEADLINE, unavailable", "TOO_LARGE, invalid", "REJECTED, internal"})
    @DisplayName("whose order the link fails with has failed")
    void failed(Reason reason, String code) {
        var session = partition.serve();
        session.obey(false);
        configure("c-1", "i-1", "node");
        TestWaits.until("ordered", () -> session.orders.size() == 1);

        session.orders.getFirst().fail(reason);

        assertThat(error(partition.result("c-1", 2)).code()).isEqualTo(code);
    }

    @Test
    @DisplayName("whose order the link does not even take has failed")
    void notTaken() {
        var session = partition.serve();
        session.fail(Reason.TOO_LARGE);
        configure("c-1", "i-1", "node");
        assertThat(error(partition.result("c-1", 2)).code()).isEqualTo("invalid");
    }

    @Test
    @DisplayName("for which the worker has no room is ordered again, for as long as it may take")
    void overloaded() {
        var session = partition.serve();
        session.obey(false);
        configure("c-1", "i-1", "node");
        TestWaits.until("ordered", () -> session.orders.size() == 1);

        session.orders.getFirst().fail(Reason.OVERLOADED);
        partition.later(Duration.ofSeconds(1));
        TestWaits.until("ordered again", () -> session.orders.size() == 2);
        partition.later(OwnedPartition.COMMAND.minusSeconds(1));
        assertThat(partition.results("c-1")).hasSize(1);
        partition.later(Duration.ofSeconds(1));

        assertThat(error(partition.result("c-1", 2)).code()).isEqualTo("unavailable");
    }

    @Test
    @DisplayName("that would be one installation too many is rejected, also while others arrive")
    void tooMany() {
        partition.serve();
        for (int installation = 1; installation <= 4; installation++) {
            configure("c-" + installation, "i-" + installation, "node");
        }
        var result = partition.result("c-4", 1);
        assertThat(result.outcome()).isEqualTo(CommandOutcome.REJECTED);
        assertThat(error(result).code()).isEqualTo(Installations.CODE);
        assertThat(partition.result("c-3", 2).outcome()).isEqualTo(CommandOutcome.COMPLETED);
    }

    @Test
    @DisplayName("whose configuration the state topic does not take has failed")
    void tooLarge() {
        var session = partition.serve();
        partition.transactions.mostBytes(1_000);
        configure("c-1", "i-1", "x".repeat(2_000));

        assertThat(error(partition.result("c-1", 1)).code()).isEqualTo("invalid");
        assertThat(session.orders).isEmpty();
    }

    @Test
    @DisplayName("whose result its topic does not take has none, and holds up no other")
    void resultTooLarge() {
        var session = partition.serve();
        session.obey(false);
        configure("c-1", "i-1", "node");
        TestWaits.until("ordered", () -> session.orders.size() == 1);
        partition.transactions.mostBytes(1);
        session.orders.getFirst().complete();
        TestWaits.until("refused", () -> partition.transactions.refused() > 0);
        partition.settle();

        partition.transactions.mostBytes(Integer.MAX_VALUE);
        session.obey(true);
        configure("c-2", "i-2", "node");

        partition.result("c-2", 2);
        assertThat(partition.results("c-1")).hasSize(1);
        assertThat(commandsCommitted()).isEqualTo(2);
    }

    @Test
    @DisplayName("that ended long ago is forgotten")
    void forgotten() {
        partition.serve();
        configure("c-1", "i-1", "node");
        partition.result("c-1", 2);

        partition.later(Duration.ofHours(25));

        TestWaits.until("forgotten", () -> partition.stateNames().contains("-command/c-1"));
    }

    private void configure(String id, String installation, String command) {
        partition.command(
                """
                {"id":"%s","command_type":"configure","payload":{
                 "event":"mcp_installation_created",
                 "config":{"installation_id":"%s","server_slug":"s","team_id":"t1",
                  "team_slug":"t","user_id":"alice","user_slug":"alice",
                  "transport_type":"stdio","command":"%s"}}}"""
                        .formatted(id, installation, command));
    }

    private void about(String id, String type, @Nullable String event, String installation) {
        partition.command(
                """
                {"id":"%s","command_type":"%s","payload":{"event":%s,"installation_id":"%s",
                 "team_id":"t1","user_id":"alice"}}"""
                        .formatted(
                                id, type, event == null ? null : '"' + event + '"', installation));
    }

    private static CommandError error(CommandResult result) {
        return Objects.requireNonNull(result.error());
    }

    private static List<ScriptedOrder> orders(ScriptedSession session, String method) {
        return session.orders.stream().filter(order -> order.method.equals(method)).toList();
    }

    private List<ProducerRecord<byte[], byte[]>> written(String stateName) {
        return partition.written(Topic.STATE).stream()
                .filter(record -> OwnedPartition.text(record.key()).equals(stateName))
                .toList();
    }

    /** The offset of commands that the last transaction has committed; 0 for none. */
    private long commandsCommitted() {
        var partitionOfCommands = new TopicPartition("mcp.commands", 0);
        return partition.transactions.consumerGroupOffsetsHistory().stream()
                .flatMap(groups -> groups.values().stream())
                .mapToLong(
                        offsets ->
                                Objects.requireNonNull(offsets.get(partitionOfCommands)).offset())
                .max()
                .orElse(0);
    }
}
