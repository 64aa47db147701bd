package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.perigee.worker.process.TreeMeter.Use;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-07: what a tree used, on tables written by hand,")
final class TreeMeterTest {
    private static final long ROOT = 5_000_001;
    private static final long CHILD = 5_000_002;
    private static final long GRANDCHILD = 5_000_003;
    private static final long SECOND = 1_000_000_000;
    private static final long MEGABYTE = 1_000_000;

    private final Map<Long, ProcStat> stats = new HashMap<>();
    private final Map<Long, Long> memory = new HashMap<>();
    private long nanos = 1;
    private final TreeMeter meter =
            new TreeMeter(() -> nanos, stats::get, entry -> memory.getOrDefault(entry.pid(), 0L));

    @BeforeEach
    void begin() {
        meter.starting(null);
        meter.begin(new TreeId(ROOT, 7, null));
    }

    private void process(long pid, long parent, long own, long reaped) {
        stats.put(pid, new ProcStat(pid, 'S', parent, ROOT, 7, 4096, own, reaped, 1, 0));
    }

    private void zombie(long pid, long parent, long own, long reaped) {
        stats.put(pid, new ProcStat(pid, 'Z', parent, ROOT, 7, 0, own, reaped, 1, 0));
    }

    private void look() {
        var live = new ArrayList<ProcessEntry>();
        for (var stat : stats.values()) {
            if (stat.alive()) {
                live.add(new ProcessEntry(stat, null, null, false));
            }
        }
        meter.look(new ProcessSnapshot(live));
    }

    private void pass(int seconds) {
        nanos += seconds * SECOND;
    }

    private static long cpuMs(Use use) {
        return use.cpuNanos() / 1_000_000;
    }

    @Test
    @DisplayName("is the time of all its processes, once each, however often it is looked at")
    void sumsProcesses() {
        process(ROOT, 1, 100, 0);
        process(CHILD, ROOT, 50, 0);
        look();
        process(CHILD, ROOT, 80, 0);
        look();

        assertThat(cpuMs(meter.take())).isEqualTo(1800);
        assertThat(cpuMs(meter.take())).isZero();
    }

    @Test
    @DisplayName("has what ended between two looks, and what the end says of the last seconds")
    void hasWhatEnded() {
        process(ROOT, 1, 100, 0);
        process(CHILD, ROOT, 50, 0);
        look();
        stats.remove(CHILD);
        zombie(ROOT, 1, 130, 75);
        meter.end(ROOT);

        assertThat(cpuMs(meter.take())).as("130 own, 75 of the child, in ticks").isEqualTo(2050);
    }

    @Test
    @DisplayName("is known at the end of one that was never looked at")
    void endsUnseen() {
        zombie(ROOT, 1, 40, 2);
        pass(3);
        meter.end(ROOT);

        assertThat(meter.take()).isEqualTo(new Use(420_000_000, 0, 0, 3 * SECOND, 0));
    }

    @Test
    @DisplayName("has the processes that outlive the first one as far as they are at its end")
    void outlived() {
        process(ROOT, 1, 10, 0);
        process(CHILD, ROOT, 50, 0);
        process(GRANDCHILD, CHILD, 5, 0);
        look();
        zombie(ROOT, 1, 10, 0);
        process(CHILD, 1, 60, 0);
        stats.remove(GRANDCHILD);
        meter.end(ROOT);

        assertThat(cpuMs(meter.take())).isEqualTo(750);
    }

    @Test
    @DisplayName("counts nothing twice when a look comes between the end and its report")
    void looksAtTheEnd() {
        process(ROOT, 1, 100, 0);
        process(CHILD, ROOT, 50, 0);
        look();
        zombie(ROOT, 1, 100, 0);
        look();
        stats.remove(CHILD);
        look();
        zombie(ROOT, 1, 100, 50);
        meter.end(ROOT);

        assertThat(cpuMs(meter.take())).isEqualTo(1500);
    }

    @Test
    @DisplayName("is not that of a stranger who got its number")
    void isNotAStrangers() {
        process(ROOT, 1, 100, 0);
        look();
        stats.put(ROOT, new ProcStat(ROOT, 'Z', 1, 9, 8, 0, 9000, 0, 1, 0));
        meter.end(ROOT);

        assertThat(cpuMs(meter.take())).isEqualTo(1000);
    }

    @Test
    @DisplayName("goes on while its first process lives, whatever was reported")
    void isNotOver() {
        process(ROOT, 1, 100, 0);
        meter.end(ROOT);

        assertThat(meter.isOver()).isFalse();
    }

    @Test
    @DisplayName("is its memory times seconds, which changes evenly between two looks")
    void integratesMemory() {
        process(ROOT, 1, 0, 0);
        memory.put(ROOT, 10 * MEGABYTE);
        pass(15);
        look();
        memory.put(ROOT, 30 * MEGABYTE);
        pass(10);
        look();
        var first = meter.take();
        pass(5);
        meter.end();

        assertThat(first.memoryByteSeconds()).isCloseTo((150 + 200) * 1e6, within(1.0));
        assertThat(first.peakBytes()).isEqualTo(30 * MEGABYTE);
        assertThat(meter.take().memoryByteSeconds()).isCloseTo(150 * 1e6, within(1.0));
    }

    @Test
    @DisplayName("is the time from its start to its end, no longer")
    void tellsHowLong() {
        pass(20);
        assertThat(meter.take().awakeNanos()).isEqualTo(20 * SECOND);
        pass(10);
        meter.end();
        pass(4);

        assertThat(meter.take()).isEqualTo(new Use(0, 0, 0, 10 * SECOND, 4 * SECOND));
        assertThat(meter.take().awakeNanos()).isZero();
    }

    @Test
    @DisplayName("is nothing where it could not be started")
    void neverStarted() {
        var other = new TreeMeter(() -> nanos, stats::get, _ -> 1);
        other.starting(null);
        pass(10);

        assertThat(other.take()).isEqualTo(Use.NONE);
        assertThat(other.isLive()).isFalse();
    }

    @Test
    @DisplayName("is what its control group counts, also after the processes are gone")
    void prefersTheGroup() {
        var group = new Group();
        var grouped = new TreeMeter(() -> nanos, stats::get, _ -> 7);
        group.cpu = 5;
        grouped.starting(group);
        grouped.begin(new TreeId(ROOT, 7, null));
        process(ROOT, 1, 100, 0);
        group.cpu = 5 + SECOND;
        group.memory = 3 * MEGABYTE;
        pass(10);
        grouped.look(new ProcessSnapshot(List.of()));

        assertThat(grouped.take())
                .isEqualTo(new Use(SECOND, 30.0 * MEGABYTE, 3 * MEGABYTE, 10 * SECOND, 0));

        group.cpu = 5 + 3 * SECOND;
        zombie(ROOT, 1, 100, 0);
        grouped.end(ROOT);
        group.cpu = -1;
        assertThat(grouped.take().cpuNanos()).isEqualTo(2 * SECOND);
    }

    /** A control group of which the test says what it counts. */
    private static final class Group implements Enclosure {
        private long cpu;
        private long memory;

        @Override
        public void release() {}

        @Override
        public long cpuNanos() {
            return cpu;
        }

        @Override
        public long memoryBytes() {
            return memory;
        }
    }
}
