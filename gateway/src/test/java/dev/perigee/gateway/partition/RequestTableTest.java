package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.EarlierRuns;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.inbound.RequestProgress;
import dev.perigee.gateway.partition.RequestTable.Arrival;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.limit.RecentIds;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The requests of a partition")
final class RequestTableTest {
    private static final String TOPIC = "requests";
    private static final Instant NOW = Instant.EPOCH;

    /** Requests below 10 may have been sent to session 9, and those below 5 to one before it. */
    private final EarlierRuns earlier =
            new EarlierRuns(
                    new RequestProgress(10, 9, 5, 0, RequestProgress.none(0).completed()), 20);

    private final RequestTable table =
            new RequestTable(new RecentIds(IdBudget.ofBytes(1 << 20), Duration.ofHours(1)));

    @Test
    @DisplayName("count the lost runs of one that the session has, so that a third never comes")
    void heldRuns() {
        table.continuing(earlier);
        boolean same = table.attached(session(9, 3, Progress.RUNNING), TOPIC);
        assertThat(same).isFalse();

        var call = call(3, "a");

        assertThat(table.arrived(call, NOW)).isEqualTo(Arrival.HELD);
        assertThat(call.possibleRuns()).isOne();
    }

    @Test
    @DisplayName("count them for one that was in doubt, whether the session has it or not")
    void doubtfulRuns() {
        table.continuing(earlier);
        var held = inDoubt(3);
        var unknown = inDoubt(4);
        var late = inDoubt(7);

        boolean same = table.attached(session(9, 3, Progress.RUNNING), TOPIC);

        assertThat(table.whenAttached(held, same)).isEqualTo(CallEvent.ATTACHED_WITH);
        assertThat(table.whenAttached(unknown, same)).isEqualTo(CallEvent.ATTACHED_OTHER_WITHOUT);
        assertThat(table.whenAttached(late, same)).isEqualTo(CallEvent.ATTACHED_OTHER_WITHOUT);
        assertThat(held.possibleRuns()).isOne();
        assertThat(unknown.possibleRuns()).isOne();
        assertThat(late.possibleRuns()).as("sent to the session that is there alone").isZero();
    }

    @Test
    @DisplayName("do not take one for answered whose answer came before it and is not durable")
    void answeredBeforeRead() {
        table.answeredBeforeRead(1);
        table.answeredBeforeRead(2);
        assertThat(table.arrived(call(1, "a"), NOW)).isEqualTo(Arrival.ANSWERING);

        table.durableBeforeRead(2);
        assertThat(table.arrived(call(2, "b"), NOW)).isEqualTo(Arrival.ANSWERED);
        assertThat(table.arrived(call(3, "b"), NOW)).as("its id").isEqualTo(Arrival.REPEATED);
    }

    @Test
    @DisplayName("know one by its record, and another record of the same id for a repeat")
    void repeats() {
        var first = call(1, "a");
        assertThat(table.arrived(first, NOW)).isEqualTo(Arrival.NEW);
        assertThat(table.arrived(call(2, "a"), NOW)).isEqualTo(Arrival.REPEATED);

        table.closed(first, true);
        assertThat(table.isFinal(1)).as("no result after the gateway's answer").isTrue();
        assertThat(table.arrived(call(3, "a"), NOW))
                .as("not durable yet")
                .isEqualTo(Arrival.REPEATED);

        table.settled(first, false, NOW);
        assertThat(table.arrived(call(4, "a"), NOW)).isEqualTo(Arrival.REPEATED);
        assertThat(table.arrived(call(5, "b"), NOW)).isEqualTo(Arrival.NEW);
        assertThat(table.open()).hasSize(1);
    }

    @Test
    @DisplayName("let an id come again whose answer asks for that")
    void mayRepeat() {
        var first = call(1, "a");
        assertThat(table.arrived(first, NOW)).isEqualTo(Arrival.NEW);
        table.closed(first, true);
        table.settled(first, true, NOW);

        assertThat(table.arrived(call(2, "a"), NOW)).isEqualTo(Arrival.NEW);
    }

    @Test
    @DisplayName("do not open one whose result came before its record")
    void resultFirst() {
        table.answeredBeforeRead(6);
        table.durableBeforeRead(6);

        assertThat(table.isFinal(6)).as("it is the same result when it comes again").isFalse();
        assertThat(table.arrived(call(6, "a"), NOW)).isEqualTo(Arrival.ANSWERED);
        assertThat(table.arrived(call(7, "a"), NOW)).isEqualTo(Arrival.REPEATED);
        assertThat(table.open()).isEmpty();
    }

    @Test
    @DisplayName("do not open one whose answer the session had acknowledged")
    void acknowledged() {
        boolean _ = table.attached(session(9, 3, Progress.ACKED), TOPIC);

        assertThat(table.arrived(call(3, "a"), NOW)).isEqualTo(Arrival.ANSWERED);
    }

    @Test
    @DisplayName(
            "know what a session ran only as long as it is attached, and what it answered longer")
    void detached() {
        table.continuing(earlier);
        boolean _ = table.attached(session(9, 3, Progress.RUNNING), TOPIC);
        table.detached();
        assertThat(table.arrived(call(3, "a"), NOW)).isEqualTo(Arrival.IN_DOUBT);

        boolean _ = table.attached(session(9, 4, Progress.ACKED), TOPIC);
        table.detached();
        assertThat(table.arrived(call(4, "b"), NOW)).isEqualTo(Arrival.ANSWERED);
    }

    @Test
    @DisplayName("take none for a repeat that ran in a session that is gone, whatever had its id")
    void ranUnderAKnownId() {
        table.continuing(earlier);
        boolean _ = table.attached(session(9, 1, Progress.ACKED), TOPIC);
        assertThat(table.arrived(call(1, "a"), NOW)).isEqualTo(Arrival.ANSWERED);
        boolean _ = table.attached(session(9, 3, Progress.RUNNING), TOPIC);

        table.detached();

        assertThat(table.arrived(call(3, "a"), NOW)).isEqualTo(Arrival.IN_DOUBT);
        assertThat(table.arrived(call(4, "a"), NOW)).isEqualTo(Arrival.REPEATED);
    }

    private ToolCall inDoubt(long offset) {
        var call = call(offset, "r" + offset);
        assertThat(table.arrived(call, NOW)).isEqualTo(Arrival.IN_DOUBT);
        call.go(
                CallTransitions.next(
                        CallStage.ARRIVED,
                        CallEvent.IN_DOUBT,
                        new CallFacts(
                                false, true, true, 0, false, false, false, CallFacts.Rounds.NONE)));
        return call;
    }

    private static Attach.Result session(long createdEpoch, long offset, Progress progress) {
        return new Attach.Result(
                true,
                createdEpoch,
                List.of(),
                List.of(new AcceptedRecord(new RecordOrigin(TOPIC, 0, offset), progress)),
                null);
    }

    private static ToolCall call(long offset, String id) {
        return new ToolCall(
                new RequestRead(
                        new RecordOrigin(TOPIC, 0, offset),
                        ToolRequest.call(id, "t", "u", "s:echo", RawJson.of("{}"), null),
                        ToolMethod.TOOLS_CALL,
                        ToolPath.parse("s:echo"),
                        NOW,
                        NOW,
                        NOW,
                        null,
                        null),
                "group");
    }
}
