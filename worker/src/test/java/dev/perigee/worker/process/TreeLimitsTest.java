package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a tree is over its limits, and what is said then. */
final class TreeLimitsTest {
    private static final long MIB = 1 << 20;
    private static final TreeLimits LIMITS =
            new TreeLimits(
                    512 * MIB,
                    100,
                    Duration.ofSeconds(60),
                    Duration.ofMinutes(10),
                    10 * MIB,
                    20,
                    40 * MIB);

    @Test
    void memoryMayBeUsedUpToTheLimit() {
        assertThat(LIMITS.memory(512 * MIB)).isNull();
        assertThat(LIMITS.memory(619 * MIB + 1))
                .isEqualTo(
                        new LimitEnd(
                                Limit.OOM,
                                "its processes used 620 MiB of memory, the limit is 512 MiB"));
    }

    @Test
    void soManyProcessesAreTooManyAsTheSystemRefusesMore() {
        assertThat(LIMITS.processes(99)).isNull();
        assertThat(LIMITS.processes(100))
                .isEqualTo(
                        new LimitEnd(
                                Limit.PIDS, "it had 100 processes and threads, the limit is 100"));
    }

    @Test
    void processorTimeIsLimitedForOneAndForAll() {
        assertThat(LIMITS.totalCpu(Duration.ofSeconds(599))).isNull();
        assertThat(LIMITS.totalCpu(Duration.ofMinutes(10)))
                .isEqualTo(
                        new LimitEnd(
                                Limit.CPU,
                                "its processes used 600 s of CPU time together, the limit is 600 s"));
        assertThat(LIMITS.cpu(Duration.ofSeconds(39))).isNull();
        assertThat(LIMITS.cpu(Duration.ofSeconds(40)))
                .isEqualTo(
                        new LimitEnd(
                                Limit.CPU,
                                "it used the 60 s of CPU time that one process may use"));
    }

    @Test
    void whatIsReadAndWrittenInAMinuteIsLimited() {
        assertThat(LIMITS.io(40 * MIB)).isNull();
        assertThat(LIMITS.io(41 * MIB))
                .isEqualTo(
                        new LimitEnd(
                                Limit.IO,
                                "its processes read from and wrote to disks 41 MiB within 60 s, the limit is 40 MiB"));
    }

    @Test
    void aHomeIsLimitedByBytesAndByFiles() {
        assertThat(LIMITS.disk(new HomeSize(10 * MIB, 20, false, true))).isNull();
        assertThat(LIMITS.disk(new HomeSize(11 * MIB, 1, false, false)))
                .isEqualTo(
                        new LimitEnd(
                                Limit.DISK,
                                "its files take more than 11 MiB, the limit is 10 MiB"));
        assertThat(LIMITS.disk(new HomeSize(0, 21, false, false)))
                .isEqualTo(
                        new LimitEnd(
                                Limit.DISK,
                                "it has more files and directories than the limit, 20"));
        assertThat(LIMITS.disk(new HomeSize(0, 1, true, false)))
                .isNotNull()
                .extracting(LimitEnd::limit)
                .isEqualTo(Limit.DISK);
    }

    @Test
    void whatIsNotLimitedNeverEnds() {
        var forever = Duration.ofDays(1000);
        assertThat(TreeLimits.NONE.memory(Long.MAX_VALUE)).isNull();
        assertThat(TreeLimits.NONE.processes(Integer.MAX_VALUE)).isNull();
        assertThat(TreeLimits.NONE.totalCpu(forever)).isNull();
        assertThat(TreeLimits.NONE.cpu(forever)).isNull();
        assertThat(TreeLimits.NONE.io(Long.MAX_VALUE)).isNull();
        assertThat(TreeLimits.NONE.disk(new HomeSize(1L << 60, 1L << 60, false, true))).isNull();
        assertThat(TreeLimits.NONE.limitsDisk()).isFalse();
    }

    @Test
    void eachLimitHasItsNameOnTheTopic() {
        assertThat(Limit.values())
                .extracting(Limit::wireName)
                .containsExactly("oom", "cpu", "disk", "pids", "io");
    }
}
