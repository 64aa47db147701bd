package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
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

    private final AcceptedRecords records = records(3, IdBudget.ofBytes(1 << 20));

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
    @DisplayName("CAL-05 an open question is told with its call, while it runs, within bounds")
    void tellsOpenQuestions() {
        var held = RawJson.of("\"" + "x".repeat(AcceptedRecords.MAX_HELD_BYTES / 2) + "\"");
        for (int n = 1; n <= 3; n++) {
            records.offer(Orders.call(n, "r-" + n), NOW);
        }
        records.hold(Orders.call(1, "r-1"), RawJson.of("{}"));
        records.hold(Orders.call(2, "r-2"), held);
        records.hold(Orders.call(3, "r-3"), held);
        assertThat(records.list()).filteredOn(each -> each.resume() != null).hasSize(2);

        records.hold(Orders.call(3, "r-3"), null);
        records.hold(Orders.call(4, "r-4"), held);
        records.finish(Orders.call(2, "r-2"), "p", RESULT, NOW);
        assertThat(records.list())
                .contains(
                        new AcceptedRecord(
                                Orders.origin(1), Progress.RUNNING, null, RawJson.of("{}")))
                .filteredOn(each -> each.resume() != null)
                .hasSize(1);
    }

    @Test
    @DisplayName("OWN-07 a million calls behind one that runs on are told in 1 KiB")
    void tellsManyInShort() {
        var many = records(3, IdBudget.ofBytes(1 << 30));
        many.offer(Orders.call(0, "r-0"), NOW);
        int ran = 0;
        var later = NOW.plus(WINDOW);
        for (int i = 1; i <= 1_000_000; i++) {
            var order = Orders.call(i, "r-" + i);
            ran += many.offer(order, NOW) instanceof Verdict.Run ? 1 : 0;
            many.finish(order, "p", RESULT, NOW);
            many.acknowledge(order.origin());
            many.forgetOld(later);
        }
        assertThat(ran).isEqualTo(1_000_000);
        assertThat(many.list())
                .containsExactly(
                        new AcceptedRecord(Orders.origin(0), Progress.RUNNING),
                        new AcceptedRecord(Orders.origin(1), Progress.ACKED, 1_000_000L));
        assertThat(Json.raw(many.list()).size()).isLessThan(1 << 10);
        assertThat(many.offer(Orders.call(500_000, "r-500000"), NOW.plus(WINDOW)))
                .isInstanceOf(Verdict.Unrecalled.class);
    }

    @Test
    @DisplayName(
            "OWN-07 calls with gaps between them are taken until they fill what an attach may say")
    void boundsWhatIsTold() {
        var many = records(3, IdBudget.ofBytes(1 << 30));
        int offset = 0;
        for (int i = 0; i < AcceptedRecords.MOST_RANGES; i++, offset += 2) {
            finish(many, offset);
        }
        var next = Orders.call(offset, "r-next");
        assertThat(many.offer(next, NOW)).isInstanceOf(Verdict.NoRoom.class);
        assertThat(Json.raw(many.list()).size()).isLessThan(1 << 20);
        many.commit(Orders.REQUESTS, Orders.PARTITION, 3);
        assertThat(many.offer(next, NOW)).isInstanceOf(Verdict.Run.class);
    }

    private static void finish(AcceptedRecords many, int offset) {
        var order = Orders.call(offset, "r-" + offset);
        assertThat(many.offer(order, NOW)).isInstanceOf(Verdict.Run.class);
        many.finish(order, "p", RESULT, NOW);
        many.acknowledge(order.origin());
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
    void keepsAsManyResultsAsItMayAndEveryId() {
        for (int i = 1; i <= 4; i++) {
            finish(i, "r-" + i, NOW);
        }
        assertThat(records.offer(Orders.call(5, "r-1"), NOW))
                .isInstanceOf(Verdict.Unrecalled.class);
        assertThat(records.offer(Orders.call(6, "r-2"), NOW)).isInstanceOf(Verdict.Repeat.class);
    }

    @Test
    @DisplayName("OWN-09: at 1,000 calls a second for ten minutes no id runs a second time")
    void remembersEveryIdOfTheWindow() {
        int calls = 600_000;
        var busy = records(20_000, IdBudget.ofBytes(32 << 20));
        for (int i = 0; i < calls; i++) {
            finish(busy, i, "r-" + i, NOW.plusMillis(i));
            busy.acknowledge(Orders.origin(i));
        }
        var end = NOW.plus(WINDOW).minusMillis(1);
        int ranAgain = 0;
        for (int i = 0; i < calls; i++) {
            var verdict = busy.offer(Orders.call(calls + i, "r-" + i), end);
            ranAgain += verdict instanceof Verdict.Run ? 1 : 0;
        }
        assertThat(ranAgain).isZero();
    }

    @Test
    @DisplayName(
            "OWN-09: beyond the memory set aside new requests are refused, repeats are not run")
    void refusesWhatItCouldNotRemember() {
        int room = 100;
        var small = records(3, IdBudget.ofBytes(28L * room));
        for (int i = 0; i < room - 1; i++) {
            finish(small, i, "r-" + i, NOW);
        }
        var last = Orders.call(room, "last");
        assertThat(small.offer(last, NOW)).isInstanceOf(Verdict.Run.class);
        assertThat(small.offer(Orders.call(room + 1, "more"), NOW))
                .isInstanceOf(Verdict.NoRoom.class);
        assertThat(small.offer(Orders.call(room + 2, "r-0"), NOW))
                .isInstanceOf(Verdict.Unrecalled.class);

        small.withdraw(last);
        assertThat(small.offer(Orders.call(room + 1, "more"), NOW)).isInstanceOf(Verdict.Run.class);
    }

    @Test
    void whatIsRememberedEndsWithTheSession() {
        var budget = IdBudget.ofBytes(28 * 2);
        var first = records(3, budget);
        finish(first, 1, "r-1", NOW);
        first.offer(Orders.call(2, "r-2"), NOW);
        assertThat(records(3, budget).offer(Orders.call(3, "r-3"), NOW))
                .isInstanceOf(Verdict.NoRoom.class);

        first.end();
        assertThat(budget.used()).isZero();
        assertThat(records(3, budget).offer(Orders.call(3, "r-3"), NOW))
                .isInstanceOf(Verdict.Run.class);
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

    private static AcceptedRecords records(int results, IdBudget budget) {
        var limits = new RecentResults.Limits(WINDOW, results, 3L * RESULT.size());
        return new AcceptedRecords(new RecentResults(limits, budget, ByteBudget.of(1 << 20)));
    }

    private void finish(long offset, String id, Instant now) {
        finish(records, offset, id, now);
    }

    private static void finish(AcceptedRecords records, long offset, String id, Instant now) {
        ToolOrder.Execute order = Orders.call(offset, id);
        records.offer(order, now);
        records.finish(order, "p", RESULT, now);
    }
}
