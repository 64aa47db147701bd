package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.worker.process.ExitStatus;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A hostile program in a real jail tries what it must not be able to. */
@DisplayName("In a jail")
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class JailTest {
    /** With the usual settings, of all tests of a kind. */
    @SuppressWarnings("NullAway.Init") // It does not know the method that opens it.
    private static Jails jails;

    private final JailKind kind;

    @TempDir private Path caches;

    JailTest(JailKind kind) {
        this.kind = kind;
    }

    @BeforeParameterizedClassInvocation
    static void open(JailKind kind, @TempDir Path caches) throws Exception {
        jails = Jails.open(caches, kind.with(Map.of()));
    }

    @AfterParameterizedClassInvocation
    static void close() {
        if (jails != null) {
            jails.close();
        }
    }

    @AfterEach
    void nothingIsLeft() {
        Jails.awaitNone(jails.token);
    }

    @Test
    @DisplayName("PRO-18: a program sees no process but its own and its jail's")
    void processes() throws Exception {
        assertThat(jails.attempt("processes").told().lines())
                .containsExactly("1 " + first(), "2 " + Jails.PYTHON);
    }

    private String first() {
        var name = kind == JailKind.NSJAIL ? "sh" : "bwrap";
        return Files.exists(Path.of("/usr/bin", name))
                ? "/usr/bin/" + name
                : "/usr/local/bin/" + name;
    }

    @Test
    @DisplayName("PRO-22: the system cannot be written to, and its secrets not be read")
    void system() throws Exception {
        var told = jails.attempt("system").told();
        // What is hidden is empty, or cannot be opened at all.
        assertThat(told.lines())
                .hasSize(14)
                .noneMatch(line -> line.contains(" done") && !line.equals("/etc/shadow done "));
        assertThat(told.lines().filter(line -> !line.startsWith("/etc/shadow")))
                .allMatch(line -> line.endsWith(" EROFS") || line.endsWith("kernel ENOENT"));
    }

    @Test
    @DisplayName("PRO-23: another team's home cannot be seen, the own one is kept")
    void caches() throws Exception {
        var other = jails.homeOf("other", ServerRuntime.NODE);
        Files.writeString(other.resolve("secret"), "theirs");
        var own = Jails.home("of-caches");
        var python = jails.homeOf(own.teamId(), ServerRuntime.PYTHON);
        Files.writeString(python.resolve("secret"), "of python");
        var first =
                jails.attempt(
                        own,
                        "caches",
                        other.resolve("secret"),
                        "/home/node/../other/secret",
                        "/home/python/secret",
                        python.resolve("secret"));
        assertThat(first.told())
                .contains("homes ['node'] mine []", "own done")
                .doesNotContain("theirs", "of python");
        assertThat(jails.attempt(own, "caches").told()).contains("mine ['own']");
        assertThat(jails.homeOf(own.teamId(), ServerRuntime.NODE).resolve("own"))
                .hasContent("mine now");
    }

    @Test
    @DisplayName("PRO-23: another team's home cannot be seen where homes lie among visible paths")
    void visibleCaches() throws Exception {
        var visible = caches.resolve("visible");
        var settings = Map.of("isolation.read-only-paths", visible.toString());
        try (var seeing = Jails.open(visible.resolve("caches"), kind.with(settings))) {
            Files.writeString(visible.resolve("tool"), "a tool");
            var other = seeing.homeOf("other", ServerRuntime.NODE);
            var theirs = Files.writeString(other.resolve("secret"), "theirs");
            assertThat(
                            seeing.shell(
                                            "cat %s/tool; cat %s; echo mine > ~/own; cat ~/own"
                                                    .formatted(visible, theirs))
                                    .told())
                    .contains("a tool", "mine")
                    .doesNotContain("theirs");
        }
    }

    @Test
    @DisplayName("PRO-16: /tmp holds 100 MB")
    void tmp() throws Exception {
        assertThat(jails.attempt("tmp").told()).contains("full after 100 ENOSPC");
        assertThat(jails.attempt("shm").told()).contains("full after 100 ENOSPC");
    }

    @Test
    @DisplayName("a deployment from GitHub has an /app of 300 MB, others have none")
    void app() throws Exception {
        var program =
                new ServerProgram(
                        Jails.home("team"),
                        ServerRuntime.PYTHON,
                        List.of(Jails.PYTHON, "-c", Jails.hostileProgram(), "app", jails.token),
                        Map.of(),
                        true,
                        List.of());
        assertThat(jails.start(program).told()).contains("/app full after 300 ENOSPC");
        assertThat(jails.shell("ls -d /app").told()).contains("No such file");
    }

    @Test
    @DisplayName("PRO-11: no more than 1024 files; PRO-13: no file of 51 MB")
    void files() throws Exception {
        assertThat(jails.attempt("files").told()).contains("files EMFILE 1024");
        assertThat(jails.attempt("big_file").told()).contains("file EFBIG 52428800");
    }

    @Test
    @DisplayName("PRO-11, PRO-12, PRO-13, PRO-14, PRO-15: the limits are as decided")
    void limits() throws Exception {
        assertThat(jails.attempt("limits").told())
                .containsPattern("Max cpu time +60 +60 ")
                .containsPattern("Max processes +1000 +1000 ")
                .containsPattern("Max open files +1024 +1024 ")
                .containsPattern("Max file size +52428800 +52428800 ")
                // What nsjail 3.6 makes of "inf" is as much.
                .containsPattern("Max address space +(unlimited|184467440737\\d+) ")
                .containsPattern("Max core file size +0 +0 ");
    }

    @Test
    @DisplayName("PRO-14: who burns up the CPU time is killed")
    void cpu() throws Exception {
        try (var limited = Jails.open(caches, kind.with(Map.of("isolation.cpu-time", "1s")))) {
            assertThat(limited.attempt("burn").heard().awaitExit().signal()).isEqualTo("SIGKILL");
        }
    }

    @Test
    @NeedsProgram(Program.GIT)
    @DisplayName("TEN-12: git works")
    void git() throws Exception {
        assertThat(
                        jails.shell(
                                        "cd ~ && git init -q . && git -c user.name=a -c user.email=a"
                                                + " commit -q -m first --allow-empty"
                                                + " && git log --format=%s")
                                .told())
                .isEqualTo("first\n");
    }

    @Test
    @DisplayName("TEN-09: programs give way to the worker where processors are busy")
    void priority() throws Exception {
        assertThat(jails.shell("nice; nice -n -5 nice").told()).startsWith("10\n10\n");
    }

    @Test
    @DisplayName("PRO-15: the address space is not limited, node starts")
    void addressSpace() throws Exception {
        assertThat(jails.attempt("address_space").told()).contains("mapped 10");
        var node =
                List.of(
                        "node",
                        "-e",
                        "const m=[...Array(3)].map(()=>new WebAssembly.Memory({initial:1}));"
                                + "console.log('wasm',m.length)",
                        jails.token);
        assertThat(jails.start("team", Map.of(), node).told()).contains("wasm 3");
    }

    @Test
    @DisplayName("PRO-20: no privilege can be gained")
    void privileges() throws Exception {
        assertThat(jails.attempt("privileges").told())
                .contains("user 1000 1000", "NoNewPrivs:\t1")
                .doesNotContain(" done")
                .containsPattern("CapEff:\t0{16}\n")
                .containsPattern("CapBnd:\t0{16}\n");
    }

    @Test
    @DisplayName("TEN-12: system calls that are not in the list fail, the network's work")
    void syscalls() throws Exception {
        var lines = jails.attempt("syscalls").told().lines().toList();
        assertThat(lines)
                .contains("route done True", "unix done True", "inet done True", "inet6 done True")
                .contains("descriptors ['0', '1', '2']");
        assertThat(lines).filteredOn(line -> line.contains(" done")).hasSize(4);
        assertThat(lines.subList(0, 25))
                .allMatch(line -> line.matches("\\w+ (EPERM|ENOSYS)|x32 SIGSYS"));
        assertThat(lines.subList(25, 36)).allMatch(line -> line.endsWith(" EAFNOSUPPORT"));
        assertThat(lines).contains("clone3 ENOSYS", "io_uring_setup ENOSYS");
    }

    @Test
    @DisplayName(
            "TEN-08: there is no memory but a process's own and files', and pipes and sockets hold"
                    + " what the kernel gives them")
    void kernelMemory() throws Exception {
        assertThat(jails.attempt("larger").told().lines())
                .containsExactly(
                        "memfd ENOSYS",
                        "pipe EPERM",
                        "buffer same True",
                        "buffer same True",
                        "buffer same True",
                        "other option 1");
    }

    @Test
    @DisplayName("TEN-08: programs bring no filters of their own, which nobody counts")
    void filters() throws Exception {
        assertThat(jails.attempt("filters").told().lines())
                .containsExactly(
                        "of calls EINVAL",
                        "of calls by the newer one EINVAL",
                        "of a socket ENOPROTOOPT",
                        "of a group ENOPROTOOPT",
                        "no new privileges done it");
    }

    @Test
    @DisplayName(
            "TEN-09: files have no data beside what their length shows, nor space behind their end")
    void attributes() throws Exception {
        var told = jails.attempt("attributes").told().lines().toList();
        assertThat(told.subList(0, 5)).allMatch(line -> line.matches(".* E(NOTSUP|OPNOTSUPP)"));
        assertThat(told.subList(5, 10))
                .containsExactly(
                        "by control EPERM",
                        "by control EPERM",
                        "by control EPERM",
                        "by control EPERM",
                        "grown 4096");
        assertThat(told.getLast()).isEqualTo("kept [] copied True");
    }

    @Test
    @DisplayName("TEN-08: memory that is given up and stays, or is no process's, is not to be had")
    void memoryThatIsGivenUp() throws Exception {
        assertThat(jails.attempt("given_up", 8).told().lines())
                .containsExactly(
                        "anonymous EPERM",
                        "anonymous with more bits EPERM",
                        "validated EPERM",
                        "zero ENODEV",
                        "full ENODEV",
                        "null ENODEV",
                        "random ENODEV",
                        "huge EPERM",
                        "splice EINVAL",
                        "sendfile EINVAL",
                        "sendfile to a socket EINVAL",
                        "tee EINVAL",
                        "mapped from a socket ENOPROTOOPT",
                        "sent without a copy ENOPROTOOPT",
                        "of UDP ENOPROTOOPT",
                        "of IPv6 ENOPROTOOPT",
                        "of a listener ENOPROTOOPT",
                        "reserved ENOPROTOOPT",
                        "copied True",
                        "read True");
    }

    @Test
    @DisplayName(
            "the host's devices can be used and not be changed, or it is said; terminals are own")
    void devices() throws Exception {
        var told = jails.attempt("devices").told();
        assertThat(told)
                .contains("write done 1", "terminal typed ['0', 'ptmx']")
                .contains("names [True, True, True] True");
        if (!jails.isolation.description().contains("modes of the host's devices")) {
            assertThat(told).containsPattern("chmod E(ROFS|PERM)");
        }
    }

    @Test
    @DisplayName("PRO-21: the host's shared memory cannot be seen")
    void sharedMemory() throws Exception {
        try (var segment = new HostSegment()) {
            assertThat(segment.seenOutside()).isTrue();
            assertThat(jails.attempt("shared_memory", segment.key()).told())
                    .contains("segment ENOSYS", "segments 0");
        }
    }

    @Test
    @DisplayName("PRO-19: the host is called after the team")
    void hostname() throws Exception {
        var command = List.of("uname", "-n");
        assertThat(jails.start("U3h-CfH_8", Map.of(), command).told()).isEqualTo("mcp-U3h-CfH_8\n");
        var long64 = jails.start("a b\u00fc:" + "x".repeat(190), Map.of(), command).told().strip();
        assertThat(long64).hasSize(64).startsWith("mcp-a-b--x");
    }

    @Test
    @DisplayName("PRO-24: the host's network is there when it is asked for, and none when none is")
    void network() throws Exception {
        try (var listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var answering =
                    tasks.submit(
                            () -> {
                                try (var peer = listener.accept();
                                        OutputStream out = peer.getOutputStream()) {
                                    out.write("hello".getBytes(StandardCharsets.US_ASCII));
                                }
                                return true;
                            });
            assertThat(tellsOf("host", listener)).contains("answer hello");
            assertThat(answering.get()).isTrue();
            assertThat(tellsOf("none", listener)).contains("ConnectionRefusedError");
        }
    }

    private String tellsOf(String network, ServerSocket listener) throws Exception {
        try (var other = Jails.open(caches, kind.with(Map.of("isolation.network", network)))) {
            return other.attempt("network", listener.getLocalPort()).told();
        }
    }

    @Test
    @DisplayName("PRO-25: arguments are taken as they are, no shell sees them")
    void arguments() throws Exception {
        var command =
                List.of(
                        Jails.PYTHON,
                        "-c",
                        "import sys; print(sys.argv[1:])",
                        "--",
                        "; touch /tmp/x",
                        "$(id)",
                        "--bind",
                        "",
                        "'\"");
        assertThat(jails.start("team", Map.of(), command).told().strip())
                .isEqualTo("['--', '; touch /tmp/x', '$(id)', '--bind', '', '\\'\"']");
    }

    @Test
    @DisplayName("PRO-10, PRO-102: the environment is what was configured, and in no argument")
    void environment() throws Exception {
        var configured =
                Map.of(
                        "API_KEY", "s3cret-" + jails.token,
                        "LD_PRELOAD", "/home/node/evil.so",
                        "NODE_OPTIONS", "--require=/home/node/evil.js",
                        "PYTHONPATH", "/home/node",
                        "BASH_ENV", "/home/node/evil.sh",
                        "OPTIND", "evil",
                        "PATH", "/home/node");
        var running =
                jails.start(
                        "team",
                        configured,
                        List.of("bash", "-c", "env; echo up; read line", jails.token));
        running.heard().awaitStdout("up\n");
        var pids = Jails.carrying(jails.token);
        assertThat(pids).hasSizeGreaterThanOrEqualTo(3);
        assertThat(pids).allMatch(pid -> !Jails.arguments(pid).contains("s3cret"));
        running.process().closeStdin();
        var environment = running.told();
        assertThat(environment)
                .contains("API_KEY=s3cret-", "HOME=/home/node\n", "npm_config_cache=")
                .contains("PATH=/usr/local/sbin:")
                .doesNotContain("evil", "PYTHONPATH", "NODE_OPTIONS", "JAVA_HOME", "USER=");
    }

    @Test
    @DisplayName("what ends inside is told as it was, as far as a jail tells it")
    void ends() throws Exception {
        assertThat(end("exit 0")).isEqualTo(ExitStatus.exited(0));
        assertThat(end("exit 3")).isEqualTo(ExitStatus.exited(3));
        assertThat(end("kill -KILL $$")).isEqualTo(ExitStatus.killedBy("SIGKILL"));
        assertThat(end("kill -SEGV $$")).isEqualTo(ExitStatus.killedBy("SIGSEGV"));
        var missing = jails.start("team", Map.of(), List.of("no-such-program"));
        assertThat(missing.told()).contains("no-such-program");
        assertThat(missing.heard().awaitExit()).isEqualTo(ExitStatus.exited(127));
    }

    private ExitStatus end(String script) throws Exception {
        return jails.shell(script).heard().awaitExit();
    }

    @Test
    @DisplayName("PRO-17: all processes of a jail together have 512 MB, or it is said why not")
    void memory() throws Exception {
        var told = jails.attempt("memory");
        if (jails.isolation.description().contains("memory")) {
            assertThat(jails.isolation.description()).contains("not enforced", "Delegate=yes");
        } else {
            assertThat(told.heard().awaitExit().signal()).isEqualTo("SIGKILL");
            assertThat(told.told()).doesNotContain("has 600");
        }
    }

    @Test
    @DisplayName("PRO-52: nothing lives on when its program ends, whatever it did")
    void survivors() throws Exception {
        var deed = jails.attempt("survive", 1);
        deed.heard().awaitStdout("survivor up");
        assertThat(Jails.carrying(jails.token)).isNotEmpty();
        deed.heard().awaitExit();
        await().atMost(Duration.ofSeconds(10)).until(() -> Jails.carrying(jails.token).isEmpty());
    }
}
