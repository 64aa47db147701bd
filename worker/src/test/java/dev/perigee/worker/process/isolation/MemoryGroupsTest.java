package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a control group says of the memory of its jail. */
final class MemoryGroupsTest {
    @TempDir private Path group;

    private MemoryGroups groups(boolean unified) {
        return new MemoryGroups(new MemoryPlace.Found(group, unified), 1, "worker", "first");
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
    void nothingWasKilledWhereThereIsNoGroupAnyMore() {
        assertThat(groups(true).killedIn(group.resolve("gone"))).isFalse();
    }
}
