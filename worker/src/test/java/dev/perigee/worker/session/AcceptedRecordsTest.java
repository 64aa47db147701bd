package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.worker.session.AcceptedRecords.Verdict;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class AcceptedRecordsTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final RawJson RESULT = RawJson.of("{\"answer\":42}");

    private final AcceptedRecords records =
            new AcceptedRecords(
                    new RecentResults(new RecentResults.Limits(WINDOW, 3, 3L * RESULT.size())));

    @Test
    @DisplayName("FLT-07 a redelivered request runs once")
    void aRecordRunsOnce() {
        var order = Orders.call(1, "r-1");
        assertThat(records.offer(order, NOW)).isInstanceOf(Verdict.Run.class);
        assertThat(records.offer(order, NOW)).isInstanceOf(Verdict.Known.class);
        assertThat(records.finish(order, "p", RESULT, NOW)).isEmpty();
        assertThat(records.offer(order, NOW)).isInstanceOf(Verdict.Known.class);
    }

    @Test
    void tellsHowFarEachCame() {
        records.offer(Orders.call(1, "r-1"), NOW);
        records.offer(Orders.call(2, "r-2"), NOW);
        records.offer(Orders.call(3, "r-3"), NOW);
        records.finish(Orders.call(2, "r-2"), "p", RESULT, NOW);
        records.finish(Orders.call(3, "r-3"), "p", RESULT, NOW);
        records.acknowledge(Orders.origin(3));
        assertThat(records.list())
                .containsExactly(
                        new AcceptedRecord(Orders.origin(1), Progress.RUNNING),
                        new AcceptedRecord(Orders.origin(2), Progress.JOURNALLED),
                        new AcceptedRecord(Orders.origin(3), Progress.ACKED));
        assertThat(records.runningCount()).isEqualTo(1);
        records.commit(Orders.REQUESTS, Orders.PARTITION, 3);
        assertThat(records.list())
                .containsExactly(new AcceptedRecord(Orders.origin(3), Progress.ACKED));
        records.commit(Orders.REQUESTS, Orders.PARTITION, 4);
        assertThat(records.list()).isEmpty();
    }

    @Test
    @DisplayName("FLT-07 the same request id under another record joins the call that runs")
    void theSameIdJoins() {
        var first = Orders.call(1, "r-1");
        var second = Orders.call(2, "r-1");
        records.offer(first, NOW);
        assertThat(records.offer(second, NOW)).isInstanceOf(Verdict.Known.class);
        assertThat(records.list()).contains(new AcceptedRecord(second.origin(), Progress.RUNNING));
        assertThat(records.finish(first, "p", RESULT, NOW)).containsExactly(second);
        assertThat(records.list())
                .extracting(AcceptedRecord::state)
                .containsOnly(Progress.JOURNALLED);
    }

    @Test
    @DisplayName("FLT-07 the same request id within ten minutes is answered with the same result")
    void theSameIdIsAnsweredTheSame() {
        finish(1, "r-1", NOW);
        var almost = NOW.plus(WINDOW).minusMillis(1);
        assertThat(records.offer(Orders.call(2, "r-1"), almost))
                .isEqualTo(new Verdict.Repeat("p", RESULT));
        assertThat(records.offer(Orders.call(3, "r-1"), NOW.plus(WINDOW)))
                .isInstanceOf(Verdict.Run.class);
    }

    @Test
    void anIdBelongsToItsUser() {
        finish(1, "r-1", NOW);
        assertThat(records.offer(Orders.call(2, "r-1", "another"), NOW))
                .isInstanceOf(Verdict.Run.class);
    }

    @Test
    void whatNeededNoServerIsForgotten() {
        var order = Orders.call(1, "r-1");
        records.offer(order, NOW);
        records.withdraw(order);
        assertThat(records.list()).isEmpty();
        assertThat(records.offer(order, NOW)).isInstanceOf(Verdict.Run.class);
    }

    @Test
    void anIdWhoseResultIsNotKeptStillDoesNotRunAgain() {
        var large = RawJson.of("\"" + "x".repeat(2 * RESULT.size()) + "\"");
        finish(1, "r-1", NOW);
        finish(2, "r-2", NOW);
        var order = Orders.call(3, "r-3");
        records.offer(order, NOW);
        records.finish(order, "p", large, NOW);
        assertThat(records.offer(Orders.call(4, "r-1"), NOW))
                .isInstanceOf(Verdict.Unrecalled.class);
        assertThat(records.offer(Orders.call(5, "r-3"), NOW))
                .isEqualTo(new Verdict.Repeat("p", large));
    }

    @Test
    void remembersAsManyIdsAsItMay() {
        for (int i = 1; i <= 4; i++) {
            finish(i, "r-" + i, NOW);
        }
        assertThat(records.offer(Orders.call(5, "r-1"), NOW)).isInstanceOf(Verdict.Run.class);
        assertThat(records.offer(Orders.call(6, "r-2"), NOW)).isInstanceOf(Verdict.Repeat.class);
    }

    @Test
    void aResultAfterTheCommitLeavesNoTrace() {
        var order = Orders.call(1, "r-1");
        records.offer(order, NOW);
        records.commit(Orders.REQUESTS, Orders.PARTITION, 2);
        records.finish(order, "p", RESULT, NOW);
        records.acknowledge(order.origin());
        assertThat(records.list()).isEmpty();
    }

    private void finish(long offset, String id, Instant now) {
        ToolOrder.Execute order = Orders.call(offset, id);
        records.offer(order, now);
        records.finish(order, "p", RESULT, now);
    }
}
