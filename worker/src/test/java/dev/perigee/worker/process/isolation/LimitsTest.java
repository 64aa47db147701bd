package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.Limit;
import dev.perigee.worker.process.LimitEnd;
import dev.perigee.worker.process.ProcessSignal;
import dev.perigee.worker.process.RecordingListener;
import dev.perigee.worker.process.isolation.Jails.Deed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A hostile program in a real jail uses more than it may, without a control group of its own. */
@DisplayName("A server that uses too much")
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class LimitsTest {
    private final JailKind kind;

    @TempDir private Path caches;

    LimitsTest(JailKind kind) {
        this.kind = kind;
    }

    private Jails open(Map<String, String> settings) throws Exception {
        return Jails.openWithoutGroups(caches, kind.with(settings));
    }

    private static LimitEnd end(Deed deed) {
        var exit = deed.heard().awaitExit();
        assertThat(exit.signal()).as(deed.heard().toString()).isEqualTo("SIGKILL");
        assertThat(exit.limit()).as(deed.heard().toString()).isNotNull();
        return exit.limit();
    }

    /** A program that answers, and ends by itself. */
    private static Deed neighbour(Jails jails) throws Exception {
        var neighbour = jails.shell("echo up; read line; echo got $line");
        neighbour.heard().awaitStdout("up");
        return neighbour;
    }

    private static void answers(Deed neighbour) throws Exception {
        neighbour.process().closeStdin();
        neighbour.heard().awaitStdout("got");
        assertThat(neighbour.heard().awaitExit()).isEqualTo(ExitStatus.exited(0));
    }

    @Test
    @DisplayName("TEN-08: 80 children of 12 MB end their server alone, with reason oom")
    void memory() throws Exception {
        try (var jails = open(Map.of())) {
            assertThat(jails.isolation.description()).contains("memory by control groups");
            var neighbour = neighbour(jails);
            var end = end(jails.attempt("many", 80, 12));
            assertThat(end.limit()).isEqualTo(Limit.OOM);
            assertThat(end.message()).contains("its processes used", "the limit is 512 MiB");
            assertThat(jails.ended).containsExactly(Limit.OOM);
            answers(neighbour);
        }
    }

    @Test
    @DisplayName("TEN-08: in a control group, too, whichever process the kernel ends")
    void memoryOfGroup() throws Exception {
        var settings = Map.of("isolation.memory", "64MiB");
        try (var jails = Jails.open(caches, kind.with(settings))) {
            var end = end(jails.attempt("many", 20, 12));
            assertThat(end.limit()).isEqualTo(Limit.OOM);
            assertThat(end.message()).contains("the limit is 64 MiB");
        }
    }

    @Test
    @DisplayName("TEN-08: what processes share counts once")
    void sharedMemory() throws Exception {
        try (var jails = open(Map.of("isolation.memory", "100MiB"))) {
            var sharers = jails.attempt("sharers", 10, 40);
            sharers.heard().awaitStdout("children up");
            assertThat(end(jails.attempt("many", 1, 150)).limit()).isEqualTo(Limit.OOM);
            assertThat(sharers.process().awaitExit(Duration.ZERO)).isFalse();
            sharers.process().signal(ProcessSignal.KILL);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"files_in_memory, 90", "empty_files, 500000"})
    @DisplayName("TEN-08: files in memory count, whether or not anybody has them open")
    void filesInMemory(String deed, int many) throws Exception {
        try (var jails = open(Map.of("isolation.memory", "100MiB"))) {
            var neighbour = neighbour(jails);
            var end = end(jails.attempt(deed, many));
            assertThat(end.limit()).isEqualTo(Limit.OOM);
            assertThat(end.message()).contains("the limit is 100 MiB");
            answers(neighbour);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "sockets, 15, 40",
        "tcp_sockets, 5, 50",
        "pipes, 15, 200",
        "hidden_pipes, 15, 200",
        "handed_pipes, 15, 200",
        "page_tables, 15, 10",
        "mappings, 15, 65000"
    })
    @DisplayName("TEN-08: what the kernel holds for many small processes counts")
    void memoryOfNoProcess(String deed, int processes, int each) throws Exception {
        try (var jails = open(Map.of("isolation.memory", "100MiB"))) {
            var neighbour = neighbour(jails);
            var idle = jails.attempt("many", processes, 0);
            idle.heard().awaitStdout("children up");
            var end = end(jails.attempt(deed, processes, each));
            assertThat(end.limit()).isEqualTo(Limit.OOM);
            assertThat(end.message()).contains("the limit is 100 MiB");
            answers(neighbour);
            assertThat(jails.ended).containsExactly(Limit.OOM);
            assertThat(idle.process().awaitExit(Duration.ZERO)).isFalse();
            idle.process().signal(ProcessSignal.KILL);
        }
    }

    @Test
    @DisplayName("TEN-08: in a control group it counts as what it is, not as what it may be")
    void memoryOfNoProcessInGroup() throws Exception {
        var settings = Map.of("isolation.memory", "200MiB", "isolation.max-processes", "50");
        try (var jails = Jails.open(caches, kind.with(settings))) {
            var server = jails.attempt("empty_sockets", 5, 200);
            if (jails.isolation.description().contains("memory by control groups")) {
                assertThat(end(server).limit()).as("without a group").isEqualTo(Limit.OOM);
                return;
            }
            server.heard().awaitStdout("children up");
            // It is looked at after that.
            assertThat(end(jails.attempt("bomb", 200)).limit()).isEqualTo(Limit.PIDS);
            assertThat(server.process().awaitExit(Duration.ZERO)).isFalse();
            server.process().signal(ProcessSignal.KILL);
        }
    }

    @Test
    @DisplayName("TEN-08: pipes that many processes share count once")
    void sharedPipes() throws Exception {
        try (var jails = open(Map.of("isolation.memory", "300MiB"))) {
            var server = jails.attempt("many_descriptors", 20, 400);
            server.heard().awaitStdout("children up");
            // It is looked at after that.
            assertThat(end(jails.attempt("many", 1, 350)).limit()).isEqualTo(Limit.OOM);
            assertThat(server.process().awaitExit(Duration.ZERO)).isFalse();
            server.process().signal(ProcessSignal.KILL);
        }
    }

    @Test
    @DisplayName("TEN-08: the largest of who uses the most ends where all together use too much")
    void together() throws Exception {
        try (var jails = open(Map.of("isolation.total-memory", "150MiB"))) {
            var small = jails.attempt("many", 2, 12);
            small.heard().awaitStdout("children up");
            var end = end(jails.attempt("many", 20, 12));
            assertThat(end.limit()).isEqualTo(Limit.OOM);
            assertThat(end.message()).contains("it used the most memory", "of 150 MiB");
            assertThat(small.process().awaitExit(Duration.ZERO)).isFalse();
            small.process().signal(ProcessSignal.KILL);
        }
    }

    @Test
    @DisplayName("TEN-08: then nobody's many servers end another user's larger one")
    void togetherByUser() throws Exception {
        try (var jails = open(Map.of("isolation.total-memory", "200MiB"))) {
            var victim = jails.attempt(home("bob", 0), "many", 1, 60);
            victim.heard().awaitStdout("children up");
            var many = new ArrayList<Deed>();
            for (var number = 0; number < 4; number++) {
                many.add(jails.attempt(home("alice", number), "many", 1, 40));
            }
            await().atMost(RecordingListener.PATIENCE).until(() -> jails.ended.size() >= 2);
            assertThat(jails.ended).containsOnly(Limit.OOM);
            assertThat(victim.process().awaitExit(Duration.ZERO)).isFalse();
            victim.process().signal(ProcessSignal.KILL);
            many.forEach(it -> it.process().signal(ProcessSignal.KILL));
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"tcp_sockets, 1, 60", "under_way, 60, 0"})
    @DisplayName(
            "TEN-08: what may be in each server's few sockets, or under way in them, counts for a"
                    + " user's many")
    void fewSocketsOfMany(String deed, int processes, int each) throws Exception {
        try (var jails = open(Map.of("isolation.total-memory", "250MiB"))) {
            var victim = jails.attempt(home("bob", 0), "tcp_sockets", 1, 30);
            victim.heard().awaitStdout("children up");
            var many = new ArrayList<Deed>();
            for (var number = 0; number < 12; number++) {
                many.add(jails.attempt(home("alice", number), deed, processes, each));
            }
            await().atMost(RecordingListener.PATIENCE).until(() -> !jails.ended.isEmpty());
            assertThat(jails.ended).containsOnly(Limit.OOM);
            assertThat(victim.process().awaitExit(Duration.ZERO)).isFalse();
            victim.process().signal(ProcessSignal.KILL);
            many.forEach(it -> it.process().signal(ProcessSignal.KILL));
        }
    }

    @Test
    @DisplayName("TEN-08: but not while there is the memory that all may still take")
    void emptySocketsOfMany() throws Exception {
        var settings = Map.of("isolation.total-memory", "400MiB", "isolation.max-processes", "50");
        try (var jails = open(settings)) {
            jails.availableMemory.set(400 << 20);
            var many = new ArrayList<Deed>();
            for (var number = 0; number < 25; number++) {
                many.add(jails.attempt(home("alice", number), "empty_sockets", 1, 60));
            }
            many.forEach(it -> it.heard().awaitStdout("children up"));
            // They are looked at after that, and what that look ends has ended with the second one.
            for (var look = 0; look < 2; look++) {
                assertThat(end(jails.attempt("bomb", 200)).limit()).isEqualTo(Limit.PIDS);
            }
            assertThat(jails.ended).containsExactly(Limit.PIDS, Limit.PIDS);

            jails.availableMemory.set(0);
            await().atMost(RecordingListener.PATIENCE).until(() -> jails.ended.size() > 2);
            many.forEach(it -> it.process().signal(ProcessSignal.KILL));
        }
    }

    private static Home.OfInstallation home(String user, int number) {
        return new Home.OfInstallation("team", user, "installation-" + number);
    }

    @Test
    @DisplayName("TEN-08: the kernel ends servers before the worker, and they cannot change that")
    void score() throws Exception {
        try (var jails = open(Map.of())) {
            var told =
                    jails.shell(
                                    "cat /proc/self/oom_score_adj;"
                                            + " echo 0 > /proc/self/oom_score_adj;"
                                            + " cat /proc/self/oom_score_adj")
                            .told();
            assertThat(told.lines().filter("1000"::equals)).hasSize(2);
        }
    }

    @Test
    @DisplayName("TEN-09: who has too many processes ends with reason pids")
    void processes() throws Exception {
        try (var jails = open(Map.of("isolation.max-processes", "50"))) {
            var neighbour = neighbour(jails);
            var end = end(jails.attempt("bomb", 200));
            assertThat(end.limit()).isEqualTo(Limit.PIDS);
            assertThat(end.message()).contains("the limit is 50");
            answers(neighbour);
        }
    }

    @Test
    @DisplayName("TEN-09: where all have too many, a server of who has the most ends")
    void processesTogether() throws Exception {
        try (var jails = open(Map.of("isolation.total-processes", "100"))) {
            var neighbour = neighbour(jails);
            var first = jails.attempt(home("alice", 1), "bomb", 60);
            first.heard().awaitStdout("children up");
            var second = jails.attempt(home("alice", 2), "bomb", 60);
            var end = end(endedFirst(first, second));
            assertThat(end.limit()).isEqualTo(Limit.PIDS);
            assertThat(end.message()).contains("of its user's servers", "of 100");
            answers(neighbour);
            assertThat(jails.ended).containsExactly(Limit.PIDS);
            first.process().signal(ProcessSignal.KILL);
            second.process().signal(ProcessSignal.KILL);
        }
    }

    private static Deed endedFirst(Deed one, Deed other) {
        await().atMost(RecordingListener.PATIENCE)
                .until(() -> one.heard().exit() != null || other.heard().exit() != null);
        return one.heard().exit() == null ? other : one;
    }

    @Test
    @DisplayName("TEN-09: who burns up the CPU time of one process ends with reason cpu")
    void cpu() throws Exception {
        try (var jails = open(Map.of("isolation.cpu-time", "1s"))) {
            assertThat(end(jails.attempt("burn")).limit()).isEqualTo(Limit.CPU);
        }
    }

    @Test
    @DisplayName("TEN-09: who burns it in many processes, too")
    void totalCpu() throws Exception {
        try (var jails = open(Map.of("isolation.total-cpu-time", "1s"))) {
            var end = end(jails.attempt("burners", 5));
            assertThat(end.limit()).isEqualTo(Limit.CPU);
            assertThat(end.message()).contains("together");
        }
    }

    @Test
    @DisplayName("TEN-09: who fills the disk ends with reason disk, and starts when there is room")
    void disk() throws Exception {
        try (var jails = open(Map.of("isolation.disk", "10MiB"))) {
            var end = end(jails.attempt("home_bytes", 20));
            assertThat(end.limit()).isEqualTo(Limit.DISK);
            assertThat(end.message()).contains("the limit is 10 MiB");
            assertThatExceptionOfType(LaunchException.class)
                    .isThrownBy(() -> jails.shell("echo up"))
                    .withMessageContaining("its files take")
                    .withMessageContaining("isolation.disk")
                    .extracting(LaunchException::reason)
                    .isEqualTo(LaunchException.Reason.DISK_FULL);
            var home = jails.homeOf("team", ServerRuntime.NODE);
            for (var number = 0; number < 20; number++) {
                Files.deleteIfExists(home.resolve("" + number));
            }
            assertThat(jails.shell("echo up").told()).contains("up");
        }
    }

    @Test
    @DisplayName(
            "TEN-09: where the disk of all is nearly full nothing starts, whoever has most ends once,"
                    + " and others go on; when there is room again, all start")
    void diskOfAll() throws Exception {
        try (var jails = open(Map.of())) {
            var neighbour = neighbour(jails);
            var first = jails.attempt(home("alice", 1), "home_bytes", 5);
            var second = jails.attempt(home("alice", 2), "home_bytes", 7);
            first.heard().awaitStdout("wrote");
            second.heard().awaitStdout("wrote");

            jails.freeDisk.set(Jails.DISK_RESERVE - 1);
            var end = end(second);
            assertThat(end.limit()).isEqualTo(Limit.DISK);
            assertThat(end.message()).contains("of its user's servers", "64 MiB are to stay free");
            assertThatExceptionOfType(LaunchException.class)
                    .isThrownBy(() -> jails.shell("echo up"))
                    .withMessageContaining("isolation.disk-reserve")
                    .extracting(LaunchException::reason)
                    .isEqualTo(LaunchException.Reason.DISK_RESERVE);
            answers(neighbour);
            assertThat(jails.ended).containsExactly(Limit.DISK);

            // Somebody goes on.
            jails.freeDisk.set(Jails.DISK_RESERVE / 2);
            assertThat(end(first).limit()).isEqualTo(Limit.DISK);

            jails.freeDisk.set(Jails.DISK_RESERVE);
            assertThat(jails.shell("echo up").told()).contains("up");
        }
    }

    @Test
    @DisplayName("TEN-09: so it is where few files can be made there, however much is free")
    void filesOfAll() throws Exception {
        try (var jails = open(Map.of())) {
            var neighbour = neighbour(jails);
            var large = jails.attempt(home("bob", 1), "home_bytes", 7);
            var many = jails.attempt(home("alice", 1), "empty_files_at_home", 300);
            large.heard().awaitStdout("wrote");
            many.heard().awaitStdout("wrote");

            jails.freeFiles.set(Jails.FILE_RESERVE - 1);
            var end = end(many);
            assertThat(end.limit()).isEqualTo(Limit.DISK);
            assertThat(end.message())
                    .contains("the most files and directories", "999 more could be made");
            assertThatExceptionOfType(LaunchException.class)
                    .isThrownBy(() -> jails.shell("echo up"))
                    .withMessageContaining("999 more files can be made")
                    .extracting(LaunchException::reason)
                    .isEqualTo(LaunchException.Reason.DISK_RESERVE);
            answers(neighbour);
            assertThat(jails.ended).containsExactly(Limit.DISK);
            assertThat(large.process().awaitExit(Duration.ZERO)).isFalse();

            jails.freeFiles.set(Jails.FILE_RESERVE);
            assertThat(jails.shell("echo up").told()).contains("up");
            large.process().signal(ProcessSignal.KILL);
        }
    }

    @Test
    @DisplayName("TEN-09: removed files that are open count, too, and are gone with their server")
    void removedFiles() throws Exception {
        try (var jails = open(Map.of("isolation.disk", "10MiB"))) {
            assertThat(end(jails.attempt("removed_files", 20)).limit()).isEqualTo(Limit.DISK);
            assertThat(jails.shell("echo up").told()).contains("up");
        }
    }

    @Test
    @DisplayName("TEN-09: so do removed files that are only mapped")
    void mappedFiles() throws Exception {
        try (var jails = open(Map.of("isolation.disk", "10MiB"))) {
            // Who is not root of the host sees no more of a file than what is mapped.
            var mapped = isRootOfHost() ? 4096 : 1 << 20;
            assertThat(end(jails.attempt("mapped_files", 20, mapped)).limit())
                    .isEqualTo(Limit.DISK);
            assertThat(jails.shell("echo up").told()).contains("up");
        }
    }

    /** Also with an identity in a user namespace of its own, which has a root, too. */
    private static boolean isRootOfHost() throws IOException {
        var ids = Files.readString(Path.of("/proc/self/uid_map"));
        return FileOwner.own() == 0 && ids.strip().matches("0\\s+0\\s+4294967295");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"write_over", "write_over_by_children", "read_over"})
    @DisplayName("TEN-09: who keeps the disk busy ends with reason io, however little it keeps")
    void traffic(String deed) throws Exception {
        try (var jails = open(Map.of("isolation.disk-io", "40MiB", "isolation.disk", "10MiB"))) {
            var neighbour = neighbour(jails);
            var end = end(jails.attempt(deed, 200));
            assertThat(end.limit()).isEqualTo(Limit.IO);
            assertThat(end.message()).contains("within 60 s, the limit is 40 MiB");
            answers(neighbour);
            assertThat(jails.shell("echo up").told()).as("starts again").contains("up");
        }
    }

    @Test
    @DisplayName("TEN-09: who makes too many files ends with reason disk")
    void files() throws Exception {
        try (var jails = open(Map.of("isolation.disk-files", "500"))) {
            var end = end(jails.attempt("home_files", 1000));
            assertThat(end.limit()).isEqualTo(Limit.DISK);
            assertThat(end.message()).contains("more files and directories than the limit, 500");
        }
    }
}
