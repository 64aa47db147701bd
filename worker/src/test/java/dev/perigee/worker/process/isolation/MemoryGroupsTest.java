package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.process.TreeLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a control group says of the memory of its jail. */
final class MemoryGroupsTest {
    @TempDir private Path group;

    private MemoryGroups groups(boolean unified) {
        return groups(unified, Set.of("memory"));
    }

    private MemoryGroups groups(boolean unified, Set<String> controllers) {
        var limits = new TreeLimits(1 << 20, 100, Duration.ZERO, Duration.ZERO, 0, 0, 0);
        var place = new MemoryPlace.Found(group, unified, controllers);
        return new MemoryGroups(place, limits, "worker", "first");
    }

    @Test
    void kernelKillsAreCountedInTheUnifiedHierarchy() throws Exception {
        var events = group.resolve("memory.events");
        Files.writeString(events, "low 0\nhigh 0\nmax 7\noom 1\noom_kill 0\noom_group_kill 0\n");
        assertThat(groups(true).killedIn(group)).isFalse();
        Files.writeString(events, "low 0\nhigh 0\nmax 7\noom 1\noom_kill 3\noom_group_kill 1\n");
        assertThat(groups(true).killedIn(group)).isTrue();
    }

    @Test
    void kernelKillsAreCountedInTheOldHierarchy() throws Exception {
        var control = group.resolve("memory.oom_control");
        Files.writeString(control, "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
        assertThat(groups(false).killedIn(group)).isFalse();
        Files.writeString(control, "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
        assertThat(groups(false).killedIn(group)).isTrue();
    }

    @Test
    void readsAndWritesAreThoseOfTheBusiestDisk() throws Exception {
        Files.writeString(
                group.resolve("io.stat"),
                """
                253:0 rbytes=4096 wbytes=100 rios=1 wios=1 dbytes=7 dios=1
                8:16
                8:0 rbytes=5000 wbytes=3000 rios=2 wios=2 dbytes=0 dios=0
                """);
        assertThat(groups(true, Set.of("memory", "io")).diskTraffic(group)).isEqualTo(8000);
        assertThat(groups(true).diskTraffic(group)).as("not counted").isZero();
        assertThat(groups(true, Set.of("io")).diskTraffic(group.resolve("gone"))).isZero();
    }

    @Test
    void processorTimeAndMemoryAreThoseOfAllInside() throws Exception {
        Files.writeString(
                group.resolve("cpu.stat"),
                "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\nnice_usec 0\n");
        Files.writeString(
                group.resolve("memory.stat"),
                "anon 4096\nfile 8192\nkernel 100\nshmem 1000\nanon_thp 7\n");
        assertThat(groups(true).cpuNanos(group)).isEqualTo(1_500_000_000);
        assertThat(groups(true).memoryBytes(group)).isEqualTo(5096);
    }

    @Test
    void theOldHierarchyHasMemoryOnly() throws Exception {
        Files.writeString(
                group.resolve("memory.stat"),
                "cache 9000\nrss 4096\nrss_huge 0\nshmem 1000\ntotal_rss 4096\n");
        assertThat(groups(false).cpuNanos(group)).isEqualTo(-1);
        assertThat(groups(false).memoryBytes(group)).isEqualTo(5096);
    }

    @Test
    void nothingIsCountedWhereThereIsNoGroupAnyMore() {
        assertThat(groups(true).cpuNanos(group.resolve("gone"))).isEqualTo(-1);
        assertThat(groups(true).memoryBytes(group.resolve("gone"))).isEqualTo(-1);
    }

    @Test
    void nothingWasKilledWhereThereIsNoGroupAnyMore() {
        assertThat(groups(true).killedIn(group.resolve("gone"))).isFalse();
    }
}
