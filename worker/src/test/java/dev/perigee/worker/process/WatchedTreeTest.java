package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Why a tree ended, from looks at it as a busy machine makes them. */
@DisplayName("TEN-09: a tree whose jail ended by SIGKILL")
final class WatchedTreeTest {
    private static final ExitStatus KILLED = ExitStatus.killedBy("SIGKILL");
    private static final TreeMemory MEMORY =
            new TreeMemory(entry -> 0, entry -> 0, new LookTime(() -> 0));
    private static final long JAIL = 20;
    private static final long PROGRAM = 21;

    private final WatchedTree tree = new WatchedTree(new Child(), new TenSeconds(), 0);

    private void look(long millis, ProcStat... members) {
        var entries = Stream.of(members).map(it -> new ProcessEntry(it, null, null, false));
        assertThat(tree.judge(entries.toList(), 0, MEMORY, nanos(millis))).isNull();
    }

    private @Nullable Limit reason(long millis) {
        var end = tree.explain(KILLED, false, nanos(millis)).limit();
        return end == null ? null : end.limit();
    }

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private static ProcStat process(long pid, long ticks) {
        return new ProcStat(pid, 'S', 1, pid, 5, 0, ticks, 0, 1, 0);
    }

    @Test
    @DisplayName("had used up its CPU time, though the last look came between the two ends")
    void looksBetweenTheEnds() {
        look(0, process(JAIL, 1), process(PROGRAM, 980));
        look(300, process(JAIL, 2));
        look(600, process(JAIL, 2));

        assertThat(reason(700)).isEqualTo(Limit.CPU);
    }

    @Test
    @DisplayName("had, as the kernel counts on shared processors, which is up to 1.4 times as much")
    void kernelChargesWholeTicks() {
        look(0, process(JAIL, 1), process(PROGRAM, 720));
        look(5, process(JAIL, 2));

        assertThat(reason(10)).isEqualTo(Limit.CPU);
    }

    @Test
    @DisplayName("had not, where the kernel ran out of memory and it was not all of its time")
    void prefersWantOfMemory() {
        look(0, process(JAIL, 1), process(PROGRAM, 720));

        var end = tree.explain(KILLED, true, nanos(5));

        assertThat(end.limit()).isNull();
        assertThat(end.starved()).isTrue();
    }

    @Test
    @DisplayName("TEN-08: was starved where the kernel killed it while it was within its memory")
    void starved() {
        look(0, resident(50));
        look(250, resident(90));
        look(500, resident(90));

        assertThat(tree.explain(KILLED, true, nanos(600)))
                .isEqualTo(KILLED.byStarvation())
                .hasToString("signal SIGKILL: the machine ran out of memory");
        assertThat(tree.explain(ExitStatus.exited(1), true, nanos(600)).starved()).isFalse();
        assertThat(tree.explain(KILLED, false, nanos(600)).starved()).isFalse();
    }

    @Test
    @DisplayName("TEN-08: was not, where it grew so fast that it may have reached its limit")
    void grew() {
        look(0, resident(10));
        look(250, resident(41));

        var end = tree.explain(KILLED, true, nanos(300)).limit();

        assertThat(end).isNotNull();
        assertThat(end.limit()).isEqualTo(Limit.OOM);
    }

    private static ProcStat resident(long pages) {
        return resident(PROGRAM, pages);
    }

    private static ProcStat resident(long pid, long pages) {
        return new ProcStat(pid, 'S', JAIL, JAIL, 5, 0, 1, 0, 1, pages);
    }

    @Test
    @DisplayName("TEN-08: was not too large, where the worker paused once as it measured it")
    void measuredInAPause() {
        var clock = new AtomicLong();
        var paused =
                new TreeMemory(
                        _ -> 60 * PageSize.bytes(),
                        _ -> {
                            clock.addAndGet(nanos(100));
                            return 10 * PageSize.bytes();
                        },
                        new LookTime(clock::get));
        var three =
                LongStream.of(PROGRAM, PROGRAM + 1, PROGRAM + 2)
                        .mapToObj(pid -> new ProcessEntry(resident(pid, 90), null, null, false))
                        .toList();

        assertThat(tree.judge(three, 0, paused, 0)).isNull();
        assertThat(tree.judge(three, 0, MEMORY, nanos(250))).isNull();
        assertThat(tree.judge(three, 0, paused, nanos(500))).isNull();
        assertThat(tree.judge(three, 0, paused, nanos(750)))
                .as("paused twice, or slow to measure")
                .extracting(LimitEnd::limit)
                .isEqualTo(Limit.OOM);
    }

    @Test
    @DisplayName("TEN-08: was starved where it was large when first looked at, or never was")
    void startedLarge() {
        assertThat(tree.explain(KILLED, true, nanos(100)).starved()).isTrue();

        look(0, resident(60));

        assertThat(tree.explain(KILLED, true, nanos(300)).starved()).isTrue();
    }

    @Test
    @DisplayName("TEN-08: was not, where nothing limits its memory")
    void unlimited() {
        var unlimited = new WatchedTree(new Child(), () -> {}, 0);

        var end = unlimited.explain(KILLED, true, nanos(300));

        assertThat(end.starved()).isFalse();
        assertThat(end.limit()).isNotNull();
        assertThat(end.limit().limit()).isEqualTo(Limit.OOM);
    }

    @Test
    @DisplayName("had not, where the process that is gone could not have used it up")
    void forgetsWhatCannotBe() {
        look(0, process(JAIL, 1), process(PROGRAM, 100));
        look(1, process(JAIL, 2));

        assertThat(reason(2)).isNull();
    }

    @Test
    @DisplayName("had not, where a process that may have is gone for long")
    void forgetsInTime() {
        look(0, process(JAIL, 1), process(PROGRAM, 980));
        look(300, process(JAIL, 2));
        look(11_000, process(JAIL, 2));

        assertThat(reason(11_001)).isNull();
    }

    private static final class TenSeconds implements Enclosure {
        @Override
        public void release() {}

        @Override
        public TreeLimits limits() {
            return new TreeLimits(
                    100 * PageSize.bytes(), 0, Duration.ofSeconds(10), Duration.ZERO, 0, 0, 0);
        }
    }

    /** Nothing is asked of it. */
    private static final class Child implements ChildProcess {
        @Override
        public long pid() {
            return JAIL;
        }

        @Override
        public boolean enclosed() {
            return true;
        }

        @Override
        public TreeId tree() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(ByteBuffer message, Duration deadline) {}

        @Override
        public void closeStdin() {}

        @Override
        public void pauseOutput() {}

        @Override
        public void resumeOutput() {}

        @Override
        public void signal(ProcessSignal signal) {}

        @Override
        public boolean awaitExit(Duration limit) {
            return true;
        }
    }
}
