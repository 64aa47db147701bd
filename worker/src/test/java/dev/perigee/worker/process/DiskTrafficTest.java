package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What looks at a tree find of its reading and writing. */
@DisplayName("TEN-09: what a tree reads from and writes to disks")
final class DiskTrafficTest {
    private final Map<Long, Long> ofProcess = new HashMap<>();
    private long ofGroup;
    private final DiskTraffic traffic =
            new DiskTraffic(
                    () -> ofGroup, entry -> ofProcess.getOrDefault(entry.pid(), 0L), seconds(0));

    private static long seconds(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    private static List<ProcessEntry> members(long... pids) {
        return LongStream.of(pids)
                .mapToObj(pid -> new ProcStat(pid, 'S', pid - 1, pid, pid, 0, 0, 0, 1, 0))
                .map(stat -> new ProcessEntry(stat, null, null, true))
                .toList();
    }

    @Test
    @DisplayName("counts for each process, and once for one that is waited for")
    void sums() {
        ofProcess.putAll(Map.of(20L, 5L, 21L, 100L));
        assertThat(traffic.bytes(members(20, 21), seconds(0))).isEqualTo(105);

        ofProcess.put(20L, 5 + 130L);
        assertThat(traffic.bytes(members(20), seconds(1))).isEqualTo(135);
    }

    @Test
    @DisplayName("is looked at once a second")
    void isLookedAtOnceASecond() {
        ofProcess.put(20L, 5L);
        traffic.bytes(members(20), seconds(0));
        ofProcess.put(20L, 50L);

        assertThat(traffic.bytes(members(20), seconds(0.9))).isEqualTo(5);
        assertThat(traffic.bytes(members(20), seconds(1))).isEqualTo(50);
    }

    @Test
    @DisplayName("begins anew each minute")
    void beginsAnew() {
        ofProcess.put(20L, 100L);
        ofGroup = 60;
        assertThat(traffic.bytes(members(20), seconds(59))).isEqualTo(100);
        ofProcess.put(20L, 103L);
        ofGroup = 61;

        assertThat(traffic.bytes(members(20), seconds(60))).isEqualTo(3);
    }

    @Test
    @DisplayName("is what the control group counts, where that is more")
    void isTheGroups() {
        ofProcess.put(20L, 5L);
        ofGroup = 70;
        assertThat(traffic.bytes(members(20), seconds(0))).isEqualTo(70);

        ofGroup = 0;
        ofProcess.put(20L, 80L);
        assertThat(traffic.bytes(members(20), seconds(1))).as("the group is gone").isEqualTo(80);
    }

    @Test
    @DisplayName("is read from the kernel's lines, without what came out of memory")
    void isRead() {
        var lines =
                List.of(
                        "rchar: 4292",
                        "wchar: 17",
                        "syscr: 13",
                        "syscw: 1",
                        "read_bytes: 8192",
                        "write_bytes: 4096",
                        "cancelled_write_bytes: 512");

        assertThat(ProcIo.parse(String.join("\n", lines) + "\n")).isEqualTo(12_288);
    }
}
