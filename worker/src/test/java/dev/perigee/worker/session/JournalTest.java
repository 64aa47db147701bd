package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.instance.InstanceIdentity;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JournalTest {
    private static final Journal.DropReport REPORT = (seq, lines) -> bytes("dropped " + lines);

    private final ByteBudget budget = ByteBudget.of(100_000);
    private final Journal journal =
            new Journal(new Journal.Limits(100, 1000, 1000, WhenFull.PAUSE), budget);

    @Test
    void numbersFromOneWithoutAHole() {
        for (int i = 1; i <= 3; i++) {
            journal.append(seq -> bytes("entry " + seq), null);
        }
        assertThat(texts(0)).containsExactly("entry 1", "entry 2", "entry 3");
        assertThat(texts(2)).containsExactly("entry 3");
        assertThat(journal.nextSeq()).isEqualTo(4);
    }

    @Test
    @DisplayName("a result that passes alone but not with its reply address is answered too_large")
    void countsTheReplyAddress() {
        var order = Orders.call(7, "r-1");
        var reply = new SessionNotice.ReplyTo("replies", 0, new byte[100_000]);
        var addressed =
                new ToolOrder.Execute(
                        order.partition(),
                        order.origin(),
                        order.processId(),
                        order.request(),
                        order.deadline(),
                        reply,
                        null,
                        null);
        var frames = new EventFrames("w-1", Clock.systemUTC());
        var about = InstanceIdentity.of(0, 1, Orders.config("i1"));
        var data = RawJson.of('"' + "x".repeat(LinkFrame.MAX_BYTES - 70_000) + '"');
        assertThat(frames.result(about, 1, order, data)).hasSizeGreaterThan(data.size());
        var frame = frames.result(about, 1, addressed, data);
        assertThat(new String(frame, StandardCharsets.UTF_8))
                .hasSizeLessThan(200_000)
                .contains("too_large", "r-1");
    }

    @Test
    @DisplayName("however small, a journal that was full is not when it is empty")
    void recoversWhenTiny() {
        var tiny = new Journal(new Journal.Limits(1, 1, 1000, WhenFull.PAUSE), budget);
        tiny.append(seq -> bytes("entry"), null);
        assertThat(tiny.full()).isTrue();
        tiny.acknowledge(1, REPORT);
        assertThat(tiny.full()).isFalse();
    }

    @Test
    void anAcknowledgementIsCumulativeAndNamesTheRequestsThatItCompletes() {
        var origin = new RecordOrigin("mcp.tool-requests", 0, 7);
        journal.append(seq -> bytes("a"), null);
        journal.append(seq -> bytes("b"), origin);
        journal.append(seq -> bytes("c"), null);
        assertThat(journal.acknowledge(2, REPORT)).containsExactly(origin);
        assertThat(journal.firstRetainedSeq()).isEqualTo(3);
        assertThat(journal.acknowledge(2, REPORT)).isEmpty();
        assertThat(journal.acknowledge(99, REPORT)).isEmpty();
        assertThat(journal.size()).isZero();
        assertThat(journal.firstRetainedSeq()).isEqualTo(4);
    }

    @Test
    void logLinesGiveWayFirstAndOneEntrySaysHowMany() {
        for (int i = 0; i < 10; i++) {
            journal.appendLog(seq -> new byte[10], lines(2));
        }
        assertThat(journal.nextSeq()).isEqualTo(9);
        assertThat(journal.full()).isFalse();
        assertThat(journal.dropsLogs()).isTrue();
        journal.append(seq -> bytes("status"), null);
        journal.acknowledge(8, REPORT);
        assertThat(texts(8)).containsExactly("status", "dropped 4");
        assertThat(journal.dropsLogs()).isFalse();
        journal.appendLog(seq -> bytes("line"), lines(1));
        assertThat(texts(10)).containsExactly("line");
    }

    @Test
    @DisplayName("CAL-01: events of calls give way where log lines would, and count as those")
    void callEventsGiveWayToo() {
        for (int i = 0; i < 10; i++) {
            journal.appendIfRoom(seq -> new byte[10], i % 2);
        }
        assertThat(journal.nextSeq()).isEqualTo(9);
        assertThat(journal.full()).isFalse();
        journal.append(seq -> bytes("result"), null);
        journal.acknowledge(8, REPORT);
        assertThat(texts(8)).containsExactly("result", "dropped 1");
        journal.appendIfRoom(seq -> bytes("progress"), 0);
        assertThat(texts(10)).containsExactly("progress");
    }

    @Test
    void whenFullItStillTakesWhatCannotBeMadeAgain() {
        for (int i = 0; i < 20; i++) {
            journal.append(seq -> new byte[10], null);
        }
        assertThat(journal.size()).isEqualTo(20);
        assertThat(journal.full()).isTrue();
        journal.acknowledge(12, REPORT);
        assertThat(journal.full()).isTrue();
        journal.acknowledge(13, REPORT);
        assertThat(journal.full()).isFalse();
    }

    @Test
    void aLargeEntryCountsInTheSharedBudgetOnly() {
        journal.append(seq -> new byte[30_000], null);
        assertThat(journal.full()).isFalse();
        assertThat(budget.used()).isEqualTo(30_000 + Journal.ENTRY_BYTES);
        journal.append(seq -> new byte[30_000], null);
        assertThat(journal.full()).isTrue();
        journal.acknowledge(2, REPORT);
        assertThat(journal.full()).isFalse();
        assertThat(budget.used()).isZero();
    }

    @Test
    @DisplayName("OWN-12: however many journals there are, their entries have one bound")
    void haveOneBound() {
        var shared = ByteBudget.of(4 << 20);
        var journals = Stream.generate(() -> roomy(shared)).limit(60).toList();
        journals.forEach(each -> fill(each, 0));
        long atMost = shared.limit() + 60 * (Journal.ALLOWANCE_BYTES + 5_000);
        assertThat(shared.used()).isLessThan(atMost);
        assertThat(journals.stream().mapToLong(Journal::bytes).sum()).isLessThan(atMost);

        journals.forEach(each -> each.acknowledge(Long.MAX_VALUE, REPORT));
        assertThat(shared.used()).isZero();
        assertThat(journals).noneMatch(Journal::full);
    }

    @Test
    @DisplayName("a journal that holds much is full, one that holds little is not")
    void theLargestWaitsFirst() {
        var shared = ByteBudget.of(1 << 20);
        var flooded = roomy(shared);
        var quiet = roomy(shared);
        fill(flooded, 0);
        assertThat(flooded.full()).isTrue();
        assertThat(shared.exhausted()).isFalse();
        quiet.append(seq -> new byte[4_000], null);
        quiet.appendLog(seq -> new byte[100], lines(1));
        assertThat(quiet.full()).isFalse();
        assertThat(quiet.dropsLogs()).isFalse();
    }

    @Test
    @DisplayName("a journal of which all is acknowledged takes entries whatever others hold")
    void isNeverStuck() {
        var shared = ByteBudget.of(100_000);
        var stuck = roomy(shared);
        shared.take(200_000);
        fill(stuck, 30);
        assertThat(stuck.full()).isTrue();
        stuck.appendLog(seq -> new byte[100], lines(3));
        assertThat(stuck.dropsLogs()).isTrue();
        stuck.acknowledge(stuck.nextSeq() - 1, REPORT);
        assertThat(stuck.full()).isFalse();
        assertThat(stuck.dropsLogs()).isFalse();
        assertThat(texts(stuck, 0)).containsExactly("dropped 3");
    }

    private static Journal roomy(ByteBudget shared) {
        return new Journal(new Journal.Limits(1 << 20, 1000, 64 << 10, WhenFull.PAUSE), shared);
    }

    private static void fill(Journal journal, int atLeast) {
        for (int i = 0; i < atLeast || !journal.full(); i++) {
            journal.append(seq -> new byte[4_000], null);
        }
    }

    @Test
    @DisplayName("a result that is read and not yet appended counts, once, and nothing of it stays")
    void countsWhatIsExpected() {
        journal.expect(60);
        journal.expect(60);
        assertThat(journal.full()).isTrue();
        journal.expectNoMore(60);
        assertThat(journal.full()).isFalse();
        journal.append(seq -> new byte[80], null);
        journal.expectNoMore(60);
        assertThat(journal.bytes()).isEqualTo(80);
        journal.acknowledge(1, REPORT);
        assertThat(budget.used()).isZero();

        journal.expect(50_000);
        assertThat(journal.full()).as("a large one counts in the budget").isTrue();
        journal.clear();
        assertThat(budget.used()).isZero();
    }

    @Test
    void aCursorOfAnotherSessionGetsEverything() {
        journal.append(seq -> bytes("a"), null);
        assertThat(journal.resumeAfter(1)).isEqualTo(1);
        assertThat(journal.resumeAfter(2)).isZero();
    }

    /** What a reader with its own cursor sees is exactly what was taken, whatever happens. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 42, 20261120})
    void behavesAsItsModel(long seed) {
        var random = new Random(seed);
        var taken = new ArrayList<String>();
        long acked = 0;
        long lines = 0;
        long told = 0;
        for (int step = 0; step < 20_000; step++) {
            String context = "seed " + seed + ", step " + step;
            int size = random.nextInt(200) == 0 ? 1500 : 1 + random.nextInt(12);
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    journal.append(seq -> note(taken, size), null);
                    told++;
                }
                case 2 -> {
                    int count = 1 + random.nextInt(20);
                    lines += count;
                    long before = journal.nextSeq();
                    journal.appendLog(seq -> note(taken, size), lines(count));
                    if (journal.nextSeq() > before) {
                        lines -= count;
                        told++;
                    }
                }
                case 3 -> {
                    long seq = acked + random.nextInt(6);
                    acked = Math.max(acked, Math.min(seq, journal.nextSeq() - 1));
                    long due = lines;
                    long before = journal.nextSeq();
                    journal.acknowledge(
                            seq,
                            (number, dropped) -> {
                                assertThat(dropped).as(context).isEqualTo(due);
                                return note(taken, 5);
                            });
                    if (journal.nextSeq() > before) {
                        lines = 0;
                        told++;
                    }
                }
                default -> {
                    long from = acked + random.nextInt(3);
                    var next = journal.after(from);
                    if (from < journal.nextSeq() - 1) {
                        assertThat(next).as(context).isNotNull();
                        assertThat(next.seq()).as(context).isEqualTo(from + 1);
                        assertThat(string(next.frame()))
                                .as(context)
                                .isEqualTo(taken.get((int) from));
                    } else {
                        assertThat(next).as(context).isNull();
                    }
                }
            }
            assertThat(journal.nextSeq() - 1).as(context).isEqualTo(taken.size()).isEqualTo(told);
            assertThat(journal.size()).as(context).isEqualTo((int) (taken.size() - acked));
            assertThat(journal.bytes())
                    .as(context)
                    .isEqualTo(
                            taken.subList((int) acked, taken.size()).stream()
                                    .mapToLong(String::length)
                                    .sum());
        }
        journal.clear();
        assertThat(budget.used()).isZero();
    }

    private static Journal.Output lines(long count) {
        return new Journal.Output(count, null);
    }

    private static byte[] note(List<String> taken, int size) {
        String text = "x".repeat(size - 1) + (char) ('a' + taken.size() % 26);
        taken.add(text);
        return bytes(text);
    }

    private List<String> texts(long after) {
        return texts(journal, after);
    }

    private static List<String> texts(Journal journal, long after) {
        var texts = new ArrayList<String>();
        for (var entry = journal.after(after); entry != null; entry = journal.after(entry.seq())) {
            texts.add(string(entry.frame()));
        }
        return texts;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String string(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
