package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** That memory is measured no more exactly than is needed, and exactly where it is. */
final class TreeMemoryTest {
    private static final long PAGE = PageSize.bytes();

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong pause = new AtomicLong();
    private final AtomicInteger wholes = new AtomicInteger();
    private final AtomicInteger walks = new AtomicInteger();
    private final LookTime time = new LookTime(nanos::get);
    private final TreeMemory memory =
            new TreeMemory(
                    _ -> {
                        wholes.incrementAndGet();
                        return 60 * PAGE;
                    },
                    _ -> {
                        walks.incrementAndGet();
                        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(30) + pause.get());
                        return 10 * PAGE;
                    },
                    time);

    /** Each with 100 resident pages. */
    private static List<ProcessEntry> processes(int count) {
        return IntStream.range(0, count)
                .mapToObj(pid -> new ProcStat(pid, 'S', 1, 1, 1, 1, 0, 0, 1, 100))
                .map(stat -> new ProcessEntry(stat, null, null, true))
                .toList();
    }

    /** Where no walk was broken off before. */
    private long used(List<ProcessEntry> members, long otherBytes, long limitBytes) {
        return memory.used(members, otherBytes, limitBytes, false).bytes();
    }

    @Test
    void nothingIsReadWhileWhatIsResidentIsWithinTheLimit() {
        assertThat(used(processes(2), 0, 200 * PAGE)).isEqualTo(200 * PAGE);
        assertThat(wholes).hasValue(0);
        assertThat(walks).hasValue(0);
    }

    @Test
    void programsAndLibrariesDoNotCount() {
        assertThat(used(processes(2), 0, 120 * PAGE)).isEqualTo(120 * PAGE);
        assertThat(walks).hasValue(0);
    }

    @Test
    void whatProcessesShareCountsOnce() {
        assertThat(used(processes(3), 0, 100 * PAGE)).isEqualTo(30 * PAGE);
    }

    @Test
    void filesInMemoryCountWhateverIsMapped() {
        assertThat(used(processes(1), 20 * PAGE, 120 * PAGE)).isEqualTo(120 * PAGE);
        assertThat(used(processes(1), 30 * PAGE, 100 * PAGE)).isEqualTo(90 * PAGE);
        assertThat(used(processes(1), 70 * PAGE, 75 * PAGE)).isEqualTo(80 * PAGE);
    }

    @Test
    void theSystemsOwnFilesAreNoJails() {
        var own = ProcStat.read(ProcessHandle.current().pid());
        assertThat(own).isNotNull();
        assertThat(new MemoryFiles().bytes(List.of(new ProcessEntry(own, null, null, true))))
                .isZero();
    }

    @Test
    void aTreeWhosePagesTakeLongTwiceIsJudgedByWhatEachHolds() {
        var first = memory.used(processes(100), 0, 70 * PAGE, false);
        assertThat(first).isEqualTo(new TreeMemory.Used(70 * PAGE, true));

        long inFull = 4 * 10 * PAGE + 96 * 60 * PAGE;
        var second = memory.used(processes(100), 0, 70 * PAGE, first.cut());
        assertThat(second).isEqualTo(new TreeMemory.Used(inFull, true));
        assertThat(walks).hasValue(8);
    }

    @Test
    void aPauseOfTheWorkerSaysNothingOfATree() {
        pause.set(TimeUnit.MILLISECONDS.toNanos(200));
        var paused = memory.used(processes(30), 0, 400 * PAGE, false);
        assertThat(paused).isEqualTo(new TreeMemory.Used(400 * PAGE, true));

        time.begin(1);
        pause.set(0);
        assertThat(memory.used(processes(3), 0, 100 * PAGE, paused.cut()))
                .isEqualTo(new TreeMemory.Used(30 * PAGE, false));
    }

    @Test
    void aWalkThatThereIsNoTimeForSaysNothingOfTheOneBefore() {
        time.begin(1);
        try (var _ = time.ofWalk()) {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        }
        assertThat(memory.used(processes(10), 0, 70 * PAGE, true))
                .isEqualTo(new TreeMemory.Used(70 * PAGE, true));
    }

    @Test
    void whatThereIsNoTimeToMeasureIsJudgedInAnotherLookUnlessOneProcessIsEnough() {
        time.begin(1);
        try (var _ = time.ofWalk()) {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        }
        assertThat(used(processes(10), 0, 70 * PAGE)).isEqualTo(70 * PAGE);
        assertThat(used(processes(10), 0, 50 * PAGE)).isEqualTo(60 * PAGE);
        assertThat(walks).hasValue(0);
        time.begin(1);
        assertThat(used(processes(2), 0, 70 * PAGE)).isEqualTo(20 * PAGE);
    }

    @Test
    void manyTreesThatAreComparedShareTheTime() {
        time.beginComparing(1);
        assertThat(memory.compared(processes(10), PAGE))
                .isEqualTo(4 * 10 * PAGE + 6 * 60 * PAGE + PAGE);
        time.beginComparing(20);
        assertThat(memory.compared(processes(10), 0)).isEqualTo(2 * 10 * PAGE + 8 * 60 * PAGE);
    }

    @Test
    void timeThatSmallTreesLeaveIsForThoseAfterThem() {
        // Even parts of all the time would be one walk of 30 ms for each.
        time.beginComparing(40);
        for (int tree = 1; tree < 40; tree++) {
            memory.compared(processes(0), 0);
        }
        assertThat(memory.compared(processes(3), 0)).isEqualTo(3 * 10 * PAGE);
    }

    @Test
    void timeThatIsOverIsNotHandedOutAgain() {
        time.beginComparing(40);
        for (int tree = 1; tree < 40; tree++) {
            // One process is walked in any case, for 30 ms.
            assertThat(memory.compared(processes(3), 0)).isEqualTo((tree <= 34 ? 130 : 180) * PAGE);
        }
    }

    @Test
    void whatIsReadOfTheKernelTakesNoTimeOfWalks() {
        time.begin(1);
        try (var part = time.ofKernel()) {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            assertThat(part.isLeft()).isFalse();
        }
        assertThat(used(processes(2), 0, 70 * PAGE)).isEqualTo(20 * PAGE);
    }

    @Test
    void timeOfTheKernelIsPassedOnToo() {
        time.begin(10);
        for (int tree = 1; tree < 10; tree++) {
            time.ofKernel().close();
        }
        try (var part = time.ofKernel()) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(99));
            assertThat(part.isLeft()).as("100 ms are the most of one").isTrue();
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
            assertThat(part.isLeft()).isFalse();
        }
    }

    @Test
    void readsWhatTheKernelSays() {
        assertThat(ProcMemory.held(ProcessHandle.current().pid())).isPositive();
        assertThat(ProcMemory.proportional(ProcessHandle.current().pid())).isPositive();
        assertThat(PAGE).isGreaterThanOrEqualTo(4096);
        assertThat(KernelKills.parse("pgfault 7\noom_kill 12\nother 1\n")).isEqualTo(12);
        assertThat(KernelKills.parse("pgfault 7\n")).isZero();
    }
}
