package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

@DisplayName("An entry of a worker's journal")
final class EventFlowTest {
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final String DATA = "{\"event\":\"x\"}";

    @AutoClose private final OwnedPartition partition = new OwnedPartition();
    private String instance = "";
    private ScriptedJournal journal = new ScriptedJournal(partition, instance, 0);

    @BeforeEach
    void install() {
        instance = partition.installed("i-1");
        journal = new ScriptedJournal(partition, instance, 0);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {
                "TOOL_RESULT",
                "REMOVED",
                "CALL_PROGRESS",
                "CALL_LOG",
                "CALL_INPUT_REQUIRED",
                "CALL_TASK"
            })
    @DisplayName("is acknowledged when its record and what it changes are durable")
    void published(EventType type) {
        var session = partition.serve();

        session.event(event(type.wireName(), "{\"remembered\":1}"), 10);

        journal.awaitAcknowledged(session, 0);
        assertThat(partition.values(type.topic())).containsExactly(DATA);
        assertThat(partition.stateNames()).contains("runtime/" + instance);
        assertThat(session.credits).containsExactly(10L);
    }

    @Test
    @DisplayName("of several is acknowledged with those before it")
    void inOrder() {
        var session = partition.serve();
        for (int entry = 0; entry < 20; entry++) {
            session.event(event(EventType.LOGS.wireName(), null), 1);
        }
        journal.awaitAcknowledged(session, 19);
        assertThat(partition.values(Topic.LOGS)).hasSize(20);
        assertThat(session.credits.stream().mapToLong(Long::longValue).sum()).isEqualTo(20);
    }

    @Test
    @DisplayName("that is large gives its credit back at once")
    void muchCredit() {
        var session = partition.serve();
        session.event(event(EventType.LOGS.wireName(), null), 100_000);
        TestWaits.until("credited, though time stands", () -> session.credits.contains(100_000L));
    }

    @Test
    @DisplayName("of a type that this gateway does not know is acknowledged, and nothing is public")
    void unknownType() {
        var session = partition.serve();
        session.event(event("mcp.server.dances", null), 1);
        journal.awaitAcknowledged(session, 0);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"CALL_LOG", "CALL_INPUT_REQUIRED", "CALL_TASK"})
    @DisplayName("of a call is public, on its reply topic too, unless the call has its answer")
    void ofACall(EventType type) {
        var session = partition.serve();
        var origin = partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        var reply = new ReplyTo(OwnedPartition.REPLIES, null, null);

        session.event(journal.entry(type.wireName(), DATA, null, origin, reply), 1);

        journal.awaitAcknowledged(session, 0);
        assertThat(partition.values(Topic.CALL_EVENTS)).hasSize(1);
        assertThat(partition.replies.history()).hasSize(1);

        var other = new RecordOrigin("made-again.tool-requests", 0, 0);
        session.event(journal.entry(type.wireName(), DATA, null, other, reply), 1);
        journal.awaitAcknowledged(session, 1);
        assertThat(partition.values(Topic.CALL_EVENTS)).hasSize(1);
    }

    @Test
    @DisplayName("that says that the instance is gone deletes all that is known of it")
    void removed() {
        var session = partition.serve();

        session.event(event(EventType.REMOVED.wireName(), "{}"), 1);

        journal.awaitAcknowledged(session, 0);
        assertThat(partition.stateNames())
                .contains(
                        "-instance/" + instance, "-runtime/" + instance, "-suspicion/" + instance);
        assertThat(partition.values(Topic.STATUS)).containsExactly("null");
        assertThat(partition.values(Topic.TOOLS)).containsExactly("null");
        assertThat(partition.values(Topic.CATALOG)).containsExactly("null");
    }

    @Test
    @DisplayName("that says so of an earlier installation deletes nothing")
    void removedEarlier() {
        var session = partition.serve();
        var earlier = new ScriptedJournal(partition, instance, -1);

        session.event(earlier.entry(EventType.REMOVED.wireName(), DATA, null), 1);

        earlier.awaitAcknowledged(session, 0);
        assertThat(partition.stateNames()).doesNotContain("-instance/" + instance);
    }

    @Test
    @DisplayName("whose record its topic does not take is dropped, and holds up nothing")
    void tooLarge() {
        var session = partition.serve();
        partition.fast.mostBytes(1);
        partition.transactions.mostBytes(1);

        session.event(event(EventType.LOGS.wireName(), null), 1);
        session.event(event(EventType.STATUS_CHANGED.wireName(), null), 1);

        journal.awaitAcknowledged(session, 1);
        assertThat(partition.values(Topic.LOGS)).isEmpty();
        assertThat(partition.values(Topic.STATUS)).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"STATUS_CHANGED, {\"remembered\":1}", "STARTED, ", "STARTED, {\"remembered\":1}"})
    @DisplayName("for a topic that cannot be written is kept, and gives its credit back")
    void kept(EventType type, @Nullable String durable) {
        var session = partition.serve();
        partition.health.found(Map.of(type.topic(), "the test says so"));

        session.event(event(type.wireName(), durable), 10);
        TestWaits.until(
                "credited",
                () -> {
                    partition.later(MOMENT);
                    return session.credits.contains(10L);
                });
        assertThat(session.acks).isEmpty();
        assertThat(partition.values(type.topic())).isEmpty();

        partition.health.found(Map.of());
        journal.awaitAcknowledged(session, 0);
        assertThat(partition.values(type.topic())).containsExactly(DATA);
    }

    @Test
    @DisplayName("of a session that has ended counts no more")
    void ofAnEarlierSession() {
        var first = partition.serve();
        first.fence();
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        first.event(event(EventType.LOGS.wireName(), null), 1);
        partition.settle();
        assertThat(partition.values(Topic.LOGS)).isEmpty();
    }

    private InstanceEvent event(String type, @Nullable String durable) {
        return journal.entry(type, DATA, durable);
    }
}
