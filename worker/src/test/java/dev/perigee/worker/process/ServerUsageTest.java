package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a worker's processes take, on tables written by hand. */
final class ServerUsageTest {
    private static final long SELF = ProcessHandle.current().pid();
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final long SECOND = 1_000_000_000;

    private final List<ProcessEntry> table = new ArrayList<>();
    private final AtomicInteger readings = new AtomicInteger();
    private final ServerUsage usage =
            new ServerUsage(this::read, this::memory, "w:i:", Duration.ofSeconds(15), this::nanos);
    private long nanos = 1;

    private ProcessSnapshot read() {
        readings.incrementAndGet();
        if (table.isEmpty()) {
            throw new IllegalStateException("no /proc today");
        }
        return new ProcessSnapshot(table);
    }

    /** So many bytes as its number says. */
    private long memory(ProcessEntry entry) {
        return entry.pid();
    }

    private long nanos() {
        return nanos;
    }

    private static ProcessEntry entry(
            long pid, long parent, @Nullable String owner, boolean jailed, long ticks) {
        return new ProcessEntry(
                new ProcStat(pid, 'S', parent, pid, 7, 4096, ticks, 0, 1, 0), owner, null, jailed);
    }

    private void table(long ticks) {
        table.clear();
        table.add(entry(SELF, 1, null, false, 9999));
        table.add(entry(5_000_001, SELF, "w:i:1", false, ticks));
        table.add(entry(5_000_020, 5_000_001, null, true, ticks));
        table.add(entry(5_000_300, 5_000_020, null, true, ticks));
        table.add(entry(6_000_000, SELF, "w:before:1", false, ticks));
        table.add(entry(7_000_000, SELF, null, false, ticks));
    }

    private ServerUsage.Usage measured() {
        var now = usage.now();
        assertThat(now).isNotNull();
        return now;
    }

    @Test
    @DisplayName("whatever a child started counts, in a jail too, and nothing of others")
    void sumsTheTrees() {
        table(0);

        assertThat(measured().processes()).isEqualTo(3);
        assertThat(measured().memoryBytes()).isEqualTo(15_000_321);
    }

    @Test
    @DisplayName("the load is what was spent since the measurement before, of all processors")
    void tellsTheLoad() {
        table(100);
        assertThat(measured().cpuLoad()).isNaN();
        assertThat(measured().cpuSeconds()).isEqualTo(3);

        table(150);
        nanos += 30 * SECOND;

        assertThat(measured().cpuLoad()).isEqualTo(1.5 / 30 / PROCESSORS);
        assertThat(measured().cpuSeconds()).isEqualTo(4.5);
    }

    @Test
    @DisplayName("more time than there was, as coarse ticks can show, is all of it")
    void isNeverMoreThanAll() {
        table(0);
        measured();
        table(1_000_000);
        nanos += 30 * SECOND;

        assertThat(measured().cpuLoad()).isEqualTo(1);
    }

    @Test
    @DisplayName("a fresh measurement is answered again, without a reading")
    void measuresAtItsPace() {
        table(0);
        var first = measured();
        nanos += 15 * SECOND - 1;
        assertThat(usage.now()).isSameAs(first);
        nanos++;

        assertThat(usage.now()).isNotSameAs(first);
        assertThat(readings).hasValue(2);
    }

    @Test
    @DisplayName("nothing is known while processes cannot be read, and no error leaves")
    void survivesAFailure() {
        assertThat(usage.now()).isNull();
        table(0);

        assertThat(usage.now()).isNotNull();
    }

    @Test
    @DisplayName("nothing is known where the system has no /proc")
    void isUnknownWithoutProc() {
        table.add(
                new ProcessEntry(
                        new ProcStat(SELF, 'S', 1, 0, 7, 0, 0, 0, 1, 0), null, null, false));

        assertThat(usage.now()).isNull();
    }

    @Test
    @DisplayName("memory is what is anonymous: programs mapped from files are everybody's")
    void readsAnonymousMemory() {
        var status =
                """
                Name:\tnode
                VmRSS:\t   47620 kB
                RssAnon:\t    9140 kB
                RssFile:\t   38480 kB
                RssShmem:\t       0 kB
                Threads:\t11
                """;
        assertThat(ProcMemory.parse(status)).isEqualTo(9140 * 1024);
        assertThat(ProcMemory.parse("Name:\tnode\nVmRSS:\t 47620 kB\n"))
                .as("a kernel that does not tell")
                .isEqualTo(47620 * 1024);
        assertThat(ProcMemory.parse("Name:\tkthreadd\nThreads:\t1\n")).isZero();
        assertThat(ProcMemory.read(SELF)).isGreaterThan(1 << 20);
    }
}
