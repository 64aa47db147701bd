package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts as files show them; the kernel's side of it is tried by {@link JailTest}. */
@DisplayName("PRO-17: the place for memory limits")
final class MemorySearchTest {

    @TempDir private Path host;
    private Path proc;
    private Path mounted;
    private Path group;

    @BeforeEach
    void build() throws IOException {
        proc = Files.createDirectory(host.resolve("proc"));
        mounted = Files.createDirectory(host.resolve("cgroup"));
        group = Files.createDirectories(mounted.resolve("system.slice/perigee.service"));
    }

    private MemoryPlace search(String membership, String mount) throws IOException {
        Files.writeString(proc.resolve("cgroup"), membership);
        Files.writeString(proc.resolve("mountinfo"), mount.replace("MOUNTED", mounted.toString()));
        return new MemorySearch(proc).search();
    }

    private void file(String name, String text) throws IOException {
        Files.writeString(group.resolve(name), text);
    }

    private MemoryPlace unified() throws IOException {
        return search(
                "0::/system.slice/perigee.service\n",
                """
                29 23 0:26 / /proc rw shared:5 - proc proc rw
                30 23 0:27 / MOUNTED rw,nosuid shared:4 - cgroup2 cgroup2 rw
                """);
    }

    @Test
    void isTheDelegatedGroupAfterWhoIsInItHasMovedDown() throws Exception {
        file("cgroup.controllers", "cpu memory pids\n");
        file("cgroup.subtree_control", "\n");
        file("cgroup.procs", "");
        assertThat(unified())
                .isEqualTo(new MemoryPlace.Found(group, true, Set.of("memory", "cpu", "pids")));
        assertThat(group.resolve("cgroup.subtree_control")).hasContent("+memory +cpu +pids");
    }

    @Test
    void isTheDelegatedGroupThatHandsMemoryOnAlready() throws Exception {
        file("cgroup.controllers", "memory\n");
        file("cgroup.subtree_control", "cpu memory\n");
        file("cgroup.procs", "");
        assertThat(unified()).isEqualTo(new MemoryPlace.Found(group, true, Set.of("memory")));
        assertThat(group.resolve("perigee-worker")).doesNotExist();
    }

    @Test
    @DisplayName("TEN-16: where nothing is delegated the command that delegates is given")
    void givesTheCommand() throws Exception {
        file("cgroup.controllers", "memory\n");
        file("cgroup.subtree_control", "\n");
        assertThat(why(unified()))
                .endsWith(
                        "perigee.service is not delegated to this user: mkdir -p"
                                + " /etc/systemd/system/perigee.service.d && printf"
                                + " '[Service]\\nDelegate=yes\\n' >"
                                + " /etc/systemd/system/perigee.service.d/delegate.conf &&"
                                + " systemctl daemon-reload && systemctl restart perigee.service");
        group = Files.createDirectories(mounted.resolve("user.slice/session-1.scope"));
        file("cgroup.controllers", "memory\n");
        file("cgroup.subtree_control", "\n");
        var scope =
                search(
                        "0::/user.slice/session-1.scope\n",
                        "30 23 0:27 / MOUNTED rw - cgroup2 c rw\n");
        assertThat(why(scope))
                .contains("session-1.scope is not delegated to this user")
                .endsWith("systemd-run --property=Delegate=yes --uid=$(id -un) perigee worker")
                .as("one gap of the heartbeat's, which separates them so")
                .doesNotContain("; ");
    }

    private static String why(MemoryPlace place) {
        return place instanceof MemoryPlace.Missing missing ? missing.why() : "found";
    }

    @Test
    void isMissingWithTheReasonWhereNothingIsDelegated() throws Exception {
        file("cgroup.controllers", "cpu\n");
        assertThat(unified())
                .isInstanceOfSatisfying(
                        MemoryPlace.Missing.class,
                        missing ->
                                assertThat(missing.why())
                                        .contains("no memory controller", "Delegate=yes"));
        file("cgroup.controllers", "memory\n");
        file("cgroup.subtree_control", "\n");
        assertThat(unified())
                .isInstanceOfSatisfying(
                        MemoryPlace.Missing.class,
                        missing -> assertThat(missing.why()).contains("not delegated"));
    }

    @Test
    void isTheGroupOfTheOldHierarchyWhereThatHasTheController() throws Exception {
        file("cgroup.procs", "");
        var membership = "7:cpu:/\n4:memory:/docker/abc/system.slice/perigee.service\n0::/\n";
        var mount =
                """
                31 23 0:28 / /none rw - cgroup2 cgroup2 rw
                32 23 0:29 /docker/abc MOUNTED rw - cgroup cgroup rw,memory
                """;
        assertThat(search(membership, mount))
                .isEqualTo(new MemoryPlace.Found(group, false, Set.of("memory")));
    }

    @Test
    void isMissingWithoutControlGroups() throws Exception {
        assertThat(search("", "29 23 0:26 / /proc rw - proc proc rw\n"))
                .isEqualTo(new MemoryPlace.Missing("no control groups are mounted"));
    }
}
