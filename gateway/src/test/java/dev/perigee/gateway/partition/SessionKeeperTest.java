package dev.perigee.gateway.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.partition.ScriptedSession.Calls;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.Hosted;
import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach.AttachedProcess;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice.Phase;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The owner of a partition")
final class SessionKeeperTest {
    private static final Duration PAUSE = Duration.ofSeconds(2);

    @AutoClose private final OwnedPartition partition = new OwnedPartition();

    @Test
    @DisplayName("claims, records its worker and serves there what is wanted")
    void serves() {
        var id = partition.installed("i-1");
        var session = partition.serve();

        assertThat(partition.stateNames()).containsExactly("instance/" + id, "claim", "host");
        assertThat(session.claim().epoch()).as("offset of the claim").isEqualTo(1);
        assertThat(session.orders)
                .singleElement()
                .satisfies(order -> assertThat(order.method).isEqualTo(LinkMethod.APPLY));
        TestWaits.until(
                "shown",
                () ->
                        partition
                                .partitions
                                .hosted()
                                .equals(List.of(new Hosted(0, ScriptedWorker.ID, 1))));
        assertThat(partition.partitions.hosts()).containsEntry(0, ScriptedWorker.ID);
        assertThat(partition.partitions.problems()).isEmpty();
    }

    @Test
    @DisplayName("goes on where an earlier one left off, on the worker that has the partition")
    void goesOn() {
        var json = "{\"worker_id\":\"w\",\"incarnation\":\"w/1\"}";
        partition.before(new ProducerRecord<>("mcp.state", 0, bytes("host"), bytes(json)));
        partition.before(new ProducerRecord<>("mcp.state", 0, bytes("instance/x"), bytes("no")));
        partition.offsets.committed("mcp.commands", 0, new OffsetAndMetadata(0, ""));
        partition.offsets.committed("mcp.tool-requests", 0, new OffsetAndMetadata(0, ""));
        partition.serve();
        assertThat(partition.stateNames())
                .as("no other host is recorded, and what cannot be read is passed over")
                .containsExactly("host", "instance/x", "claim");
    }

    @Test
    @DisplayName("leaves to the worker what it has already")
    void knows() {
        var config = OwnerBench.config("alice", "i-1", "node");
        var id = partition.installed(config);
        partition.begin();
        var session = partition.opened(1);
        session.attach(true, List.of(process(id, 0, ConfigFingerprint.of(config))));
        TestWaits.until("serving", () -> partition.state() == OwnerState.SERVING);
        assertThat(session.orders).isEmpty();
    }

    @Test
    @DisplayName("repeats its claim until the broker answers, and says what keeps it")
    void brokerAway() {
        partition.offsets.fail(new KafkaException("nobody is there"));
        partition.begin();
        TestWaits.until("stuck", () -> partition.partitions.problems().containsKey(0));
        assertThat(partition.partitions.problems().get(0)).contains("nobody is there");
        assertThat(partition.state()).isEqualTo(OwnerState.RESTORING);

        partition.offsets.fail(null);

        partition.attach(1);
        assertThat(partition.partitions.problems()).isEmpty();
    }

    @Test
    @DisplayName("does nothing while its state cannot be read, and leaves when it is to")
    void unreadable() {
        var sealed = new byte[] {1, 1, 'k', 0};
        partition.before(new ProducerRecord<>("mcp.state", 0, bytes("instance/x"), sealed));
        partition.begin();
        TestWaits.until("stuck", () -> partition.partitions.problems().containsKey(0));
        assertThat(partition.partitions.problems().get(0)).contains("instance/x");

        partition.revoke();

        assertThat(partition.worker.sessions).isEmpty();
    }

    @Test
    @DisplayName("looks again when a worker comes")
    void noWorker() {
        partition.hostNobody();
        partition.begin();
        TestWaits.until("placing", () -> partition.state() == OwnerState.PLACING);
        partition.worker.are();
        partition.host(new HostDecision.Place(ScriptedWorker.ID));
        partition.partitions.workersChanged();
        partition.settle();
        assertThat(partition.worker.sessions).as("the chosen one is not there").isEmpty();

        partition.worker.are(worker(ScriptedWorker.INCARNATION, LinkState.CONNECTED));
        partition.later(Duration.ofSeconds(1));

        partition.opened(1);
    }

    @Test
    @DisplayName("looks again when the worker went as it was chosen")
    void notThere() {
        partition.worker.refuse(new IllegalArgumentException("it went"));
        partition.begin();
        TestWaits.until("placing", () -> partition.state() == OwnerState.PLACING);
        TestWaits.until("chosen", () -> partition.stateNames().contains("host"));
        partition.settle();
        partition.worker.refuse(null);
        partition.later(Duration.ofSeconds(1));
        partition.attach(1);
    }

    @Test
    @DisplayName("claims again when its session cannot be opened")
    void notOpened() {
        partition.worker.refuse(new IllegalStateException("there is a newer claim"));
        partition.begin();
        TestWaits.until("unopened", () -> partition.state() == OwnerState.ATTACHING);
        partition.settle();
        partition.worker.refuse(null);
        partition.later(PAUSE);
        partition.attach(1);
        assertThat(partition.stateNames().stream().filter("claim"::equals)).hasSize(2);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("claims again when its session is over, however that came")
    void lost(LinkFailure failure) {
        var first = partition.serve();

        first.lose(failure);

        TestWaits.until(
                "opened again",
                () -> {
                    partition.later(PAUSE);
                    return partition.worker.sessions.size() == 2;
                });
        var second = partition.attach(2);
        assertThat(second.claim().epoch()).isGreaterThan(first.claim().epoch());
        var reason = failure.name().toLowerCase(Locale.ROOT);
        assertThat(partition.count("perigee.gateway.session.ends", "reason", reason)).isEqualTo(1);
    }

    @Test
    @DisplayName("records that no worker has the partition when that has ended it")
    void ended() {
        var first = partition.serve();
        first.lose(LinkFailure.ENDED);
        partition.attach(2);
        assertThat(partition.stateNames())
                .containsExactly("claim", "host", "-host", "claim", "host");
    }

    @Test
    @DisplayName("keeps its session while the link recovers")
    void suspended() {
        var session = partition.serve();
        session.suspend();
        session.attach();
        partition.request(
                """
                {"request_id":"r-1","team_id":"t1","user_id":"alice","method":"tools/list"}""");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        assertThat(partition.worker.sessions).hasSize(1);
    }

    @Test
    @DisplayName("tells that instances of a lost worker are not online, and when they are found")
    void tellsLost() {
        var config = OwnerBench.config("alice", "i-1", "node");
        var id = partition.installed(config);
        partition.before(partition.stateTopic().runtime(id, RawJson.of("{\"status\":\"online\"}")));
        var first = partition.serve();

        first.lose(LinkFailure.UNREACHABLE);
        TestWaits.until("status published", () -> partition.values(Topic.STATUS).size() == 1);
        assertThat(partition.values(Topic.STATUS).getFirst()).contains(OwnStatus.LOST);
        TestWaits.until(
                "opened again",
                () -> {
                    partition.later(PAUSE);
                    return partition.worker.sessions.size() == 2;
                });
        partition.opened(2).attach(true, List.of(process(id, 0, ConfigFingerprint.of(config))));

        TestWaits.until("status published", () -> partition.values(Topic.STATUS).size() == 2);
        assertThat(partition.values(Topic.STATUS).get(1)).contains(OwnStatus.FOUND);
    }

    @Test
    @DisplayName("tells so already while it waits for the worker that is given up")
    void tellsGivenUp() {
        var id = partition.installed("i-1");
        partition.before(partition.stateTopic().runtime(id, RawJson.of("{\"status\":\"online\"}")));
        partition.before(
                partition
                        .stateTopic()
                        .host(new StateRecord.Host(ScriptedWorker.ID, ScriptedWorker.INCARNATION)));
        partition.worker.are(worker(ScriptedWorker.INCARNATION, LinkState.FAILED));
        partition.hostNobody();
        partition.begin();
        TestWaits.until("status published", () -> partition.values(Topic.STATUS).size() == 1);
        assertThat(partition.values(Topic.STATUS).getFirst()).contains(OwnStatus.LOST);
    }

    @Test
    @DisplayName("detaches for the next one when the tenure ends")
    void released() {
        var session = partition.serve();
        partition.revoke();
        assertThat(session.asked).contains("detach to hand off");
        assertThat(partition.partitions.states()).isEmpty();
    }

    @Test
    @DisplayName("leaves without a word when the group is not heard")
    void silenced() {
        var session = partition.serve();
        partition.polled.silence(partition.partitions);
        partition.awaitEnded();
        assertThat(session.asked).contains("abandon").doesNotContain("detach to hand off");
    }

    @Test
    @DisplayName("gives up a session that ends while it is given what it lacks")
    void endsWhileRestored() {
        partition.installed("i-1");
        partition.begin();
        var session = partition.opened(1);
        session.fail(Reason.LOST);
        session.attach();
        partition.settle();
        assertThat(partition.state()).isEqualTo(OwnerState.ATTACHING);

        session.lose(LinkFailure.ENDED);
        partition.attach(2);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Reason.class,
            names = {"TOO_LARGE", "REJECTED", "DEADLINE"})
    @DisplayName("serves though an instance cannot be restored")
    void notRestored(Reason reason) {
        partition.installed("i-1");
        partition.begin();
        var session = partition.opened(1);
        session.obey(false);
        session.attach();
        TestWaits.until("ordered", () -> session.orders.size() == 1);
        session.take(Calls.KEPT);
        session.orders.getFirst().fail(reason);
        TestWaits.until("serving", () -> partition.state() == OwnerState.SERVING);
        partition.commit();

        partition.call("r-1");
        TestWaits.until(
                "answered as the worker says, as nothing is awaited any more",
                () -> {
                    session.calls.forEach(call -> call.answer(unknownServer(call)));
                    return !partition.answers("r-1").isEmpty();
                });
        assertThat(partition.answer("r-1").error())
                .extracting(ToolError::code)
                .isEqualTo(ErrorCode.UNKNOWN_SERVER);
    }

    private ToolResult unknownServer(ScriptedCall call) {
        return ToolResult.refused(
                call.order.request(),
                null,
                ToolError.of(ErrorCode.UNKNOWN_SERVER, "the worker says so", null),
                partition.now());
    }

    @Test
    @DisplayName("restores again what the worker has no room for")
    void restoresAgain() {
        partition.installed("i-1");
        partition.begin();
        var session = partition.opened(1);
        session.obey(false);
        session.attach();
        TestWaits.until("ordered", () -> session.orders.size() == 1);
        session.orders.getFirst().fail(Reason.OVERLOADED);
        TestWaits.until(
                "ordered again",
                () -> {
                    partition.later(Duration.ofSeconds(1));
                    return session.orders.size() == 2;
                });
        session.orders.get(1).complete();
    }

    private static WorkerView worker(String incarnation, LinkState state) {
        return ScriptedWorker.view(ScriptedWorker.ID, incarnation, state, Phase.SERVING);
    }

    private static AttachedProcess process(String id, long token, @Nullable String hash) {
        return new AttachedProcess(
                id, token, hash, "running", ServerStatus.ONLINE, 0, 0, null, null);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
