package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A journal that evicts, and what its readers miss. */
final class EvictionTest {
    private static final RecordOrigin REQUEST = new RecordOrigin("mcp.tool-requests", 0, 7);

    private final Journal journal =
            new Journal(
                    new Journal.Limits(100, 1000, 1000, WhenFull.EVICT), ByteBudget.of(1 << 20));

    @Test
    @DisplayName("the oldest output goes, results and what says how things are stay")
    void keepsWhatIsAwaited() {
        journal.append(seq -> new byte[10], null);
        log(1, 7);
        journal.append(seq -> new byte[10], REQUEST);
        for (int i = 0; i < 5; i++) {
            log(1, 7);
        }
        log(1, 7);
        assertThat(seqs(0)).containsExactly(1L, 3L, 7L, 8L, 9L);
        assertThat(journal.acknowledge(9, EvictionTest::report)).containsExactly(REQUEST);
        assertThat(journal.bytes()).isZero();
    }

    @Test
    @DisplayName("a reader behind the hole finds it once, with what was lost and whose it was")
    void findsTheHoleOnce() {
        journal.append(seq -> new byte[30], null);
        log(2, 7);
        log(3, 7);
        log(5, 8);
        for (int i = 0; i < 3; i++) {
            log(1, 9);
        }
        assertThat(seqs(0)).containsExactly(1L, 6L, 7L);
        assertThat(journal.takeHole(5)).as("has it all").isNull();
        assertThat(journal.takeHole(4)).isEqualTo(new Journal.Output(11, 9L));
        assertThat(journal.takeHole(0)).as("told").isNull();
    }

    @Test
    @DisplayName("what was acknowledged before is missed by nobody")
    void acknowledgedIsNotMissed() {
        for (int i = 0; i < 9; i++) {
            log(1, 7);
        }
        assertThat(journal.firstRetainedSeq()).isEqualTo(5);
        journal.acknowledge(4, EvictionTest::report);
        assertThat(journal.takeHole(0)).isNull();
    }

    @Test
    @DisplayName("full of what is never evicted it lets logs give way, and is full")
    void isFullOfWhatStays() {
        for (int i = 0; i < 8; i++) {
            journal.append(seq -> new byte[10], REQUEST);
        }
        log(1, 7);
        assertThat(journal.dropsLogs()).isTrue();
        journal.append(seq -> new byte[10], REQUEST);
        journal.append(seq -> new byte[10], REQUEST);
        assertThat(journal.full()).isTrue();
        assertThat(journal.takeHole(0)).isNull();
        assertThat(seqs(0)).hasSize(10);
    }

    /** A reader misses nothing but evicted output, and whoever misses some is told. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 7, 42, 4711, 20261121})
    void behavesAsItsModel(long seed) {
        var random = new Random(seed);
        var output = new HashSet<Long>();
        var told = new HashSet<Long>();
        long acked = 0;
        for (int step = 0; step < 10_000; step++) {
            String context = "seed " + seed + ", step " + step;
            int size = 1 + random.nextInt(15);
            var said = new Journal.Output(1, (long) step);
            switch (random.nextInt(6)) {
                case 0 -> journal.append(seq -> new byte[size], null);
                case 1 -> journal.appendOutput(seq -> noted(output, seq, size), said);
                case 2, 3 -> journal.appendLog(seq -> noted(output, seq, size), said);
                case 4 -> {
                    acked = Math.min(acked + random.nextInt(8), journal.nextSeq() - 1);
                    journal.acknowledge(acked, EvictionTest::report);
                }
                default -> {
                    long from = acked + random.nextInt(4);
                    var missing = missing(Math.min(from, journal.nextSeq() - 1));
                    assertThat(output).as(context).containsAll(missing);
                    missing.removeAll(told);
                    assertThat(journal.takeHole(from) == null)
                            .as(context)
                            .isEqualTo(missing.isEmpty());
                    if (!missing.isEmpty()) {
                        told.addAll(missing(acked));
                    }
                }
            }
        }
    }

    private Set<Long> missing(long after) {
        var missing = new TreeSet<Long>();
        LongStream.range(after + 1, journal.nextSeq()).forEach(missing::add);
        seqs(after).forEach(missing::remove);
        return missing;
    }

    private void log(long lines, long pid) {
        journal.appendLog(seq -> new byte[10], new Journal.Output(lines, pid));
    }

    private static byte[] noted(Set<Long> output, long seq, int size) {
        output.add(seq);
        return new byte[size];
    }

    private static byte[] report(long seq, long lines) {
        return new byte[5];
    }

    private List<Long> seqs(long after) {
        var seqs = new ArrayList<Long>();
        for (var entry = journal.after(after); entry != null; entry = journal.after(entry.seq())) {
            seqs.add(entry.seq());
        }
        return seqs;
    }
}
