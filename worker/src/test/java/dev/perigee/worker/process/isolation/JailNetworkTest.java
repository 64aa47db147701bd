package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.config.EgressRule;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A hostile program in a real jail tries to get out of a network of its own. */
@DisplayName("In a network of its own")
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class JailNetworkTest {
    private static final List<String> NOT_INTERNET =
            List.of(
                    "10.0.0.1:80",
                    "172.16.0.1:80",
                    "192.168.0.1:80",
                    "100.64.0.1:80",
                    "169.254.169.254:80",
                    "168.63.129.16:80",
                    "198.18.0.1:80",
                    "224.0.0.1:80",
                    "255.255.255.255:80",
                    // The same in other forms.
                    "167772161:80",
                    "0x0a000001:80",
                    "10.1:80",
                    "[::ffff:10.0.0.1]:80",
                    "[::10.0.0.1]:80",
                    "[64:ff9b::a00:1]:80",
                    "[2002:a00:1::1]:80",
                    "[2001:0:a00:1::1]:80",
                    "[fd00:ec2::254]:80",
                    "[fec0::1]:80");

    private final JailKind kind;

    /** What names lead to; a test may change it. */
    private final Map<String, List<InetAddress>> known = new ConcurrentHashMap<>();

    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Queue<String> refused = new ConcurrentLinkedQueue<>();

    @TempDir private Path caches;

    @SuppressWarnings("NullAway.Init") // Opened by each test, with its own policy.
    private Jails jails;

    JailNetworkTest(JailKind kind) {
        this.kind = kind;
    }

    @AfterEach
    void close() {
        if (jails != null) {
            jails.close();
        }
    }

    private List<InetAddress> addresses(String host) throws UnknownHostException {
        asked.add(host);
        var found = known.get(host);
        if (found == null) {
            throw new UnknownHostException(host);
        }
        return found;
    }

    private void open(List<String> allow, List<String> deny, Map<String, String> settings)
            throws Exception {
        var guards = new EgressGuards(EgressPolicy.of(allow, deny), (host, _) -> addresses(host));
        jails = Jails.open(caches, kind.with(settings), guards);
    }

    private Jails.Deed attempt(@Nullable List<EgressRule> only, String what, Object... more)
            throws Exception {
        return attempt(Jails.home("team"), new Reach(only, refused::add), what, more);
    }

    private Jails.Deed attempt(Home home, Reach reach, String what, Object... more)
            throws Exception {
        var command =
                new ArrayList<>(
                        List.of(
                                Jails.PYTHON,
                                "-c",
                                Jails.resource("/networked.py"),
                                jails.token,
                                what));
        Stream.of(more).map(Object::toString).forEach(command::add);
        var program = new ServerProgram(home, ServerRuntime.PYTHON, command, Map.of());
        return jails.start(program, reach);
    }

    private List<String> tell(String what, Object... more) throws Exception {
        return attempt(null, what, more).told().lines().toList();
    }

    private static Object[] targets(List<String> targets) {
        return targets.toArray();
    }

    @Test
    @DisplayName("TEN-05: nothing of the host, of its loopback or of a neighbour is reached")
    void closed() throws Exception {
        open(List.of(), List.of(), Map.of());
        try (var host = new HostListener()) {
            int port = host.port();
            var neighbour = attempt(null, "own");
            neighbour.heard().awaitStdout("100::8 mine");
            var targets =
                    new ArrayList<>(
                            List.of(
                                    "127.0.0.1:" + port,
                                    "127.0.0.2:" + port,
                                    "[::1]:" + port,
                                    "[::ffff:127.0.0.1]:" + port,
                                    "0.0.0.0:" + port,
                                    "[::]:" + port,
                                    "2130706433:" + port,
                                    "192.0.0.8:8080",
                                    "127.0.0.1:8080",
                                    "127.0.0.1:1",
                                    "127.0.0.1:53",
                                    "[::1]:1"));
            HostListener.ownAddresses().forEach(own -> targets.add(own + ":" + port));
            assertThat(tell("connect", targets(targets)))
                    .hasSameSizeAs(targets)
                    .allMatch(line -> line.matches("\\S+ (ECONNREFUSED|ECONNRESET|closed) "));
            assertThat(host.accepted()).isZero();
            assertThat(refused).hasSameSizeAs(HostListener.ownAddresses());
        }
    }

    @Test
    @DisplayName("TEN-05: no abstract socket of the host or of a neighbour is reached")
    void abstractSockets() throws Exception {
        open(List.of(), List.of(), Map.of());
        attempt(null, "own").heard().awaitStdout("100::8 mine");
        var neighbours = "own-" + jails.token;
        assertThat(tell("abstract", neighbours)).containsExactly(neighbours + " ECONNREFUSED");
        var name = "perigee-test-" + jails.token;
        var listening =
                new ProcessBuilder(
                                Jails.PYTHON,
                                "-c",
                                "import socket,sys; s=socket.socket(socket.AF_UNIX);"
                                        + " s.bind('\\0'+sys.argv[1]); s.listen();"
                                        + " print('up',flush=True); sys.stdin.read()",
                                name)
                        .start();
        try (var said = listening.inputReader()) {
            assertThat(said.readLine()).isEqualTo("up");
            assertThat(tell("abstract", name)).containsExactly(name + " ECONNREFUSED");
        } finally {
            listening.destroyForcibly();
        }
    }

    @Test
    @DisplayName("TEN-06: no address is reached that is not on the internet, in whatever form")
    void internetOnly() throws Exception {
        open(List.of(), List.of(), Map.of());
        assertThat(tell("connect", targets(NOT_INTERNET)))
                .hasSameSizeAs(NOT_INTERNET)
                .allMatch(
                        line -> line.matches("\\S+ (ECONNRESET|ENETUNREACH|EACCES|EINVAL|EPERM) "));
        assertThat(refused)
                .anyMatch(
                        what ->
                                what.startsWith("169.254.169.254:80: the fleet's")
                                        && what.endsWith("(egress.allow of the workers)"));
        assertThat(jails.isolation.refused()).isGreaterThanOrEqualTo(15);
    }

    @Test
    @DisplayName("TEN-06: no datagram leaves, and that is seen at once")
    void datagrams() throws Exception {
        open(List.of("*"), List.of(), Map.of());
        assertThat(tell("datagrams", "8.8.8.8:53", "1.1.1.1:443", "[2606:4700::1111]:53"))
                .hasSize(3)
                .allMatch(line -> line.matches("\\S+ (EPERM|ECONNREFUSED)"));
    }

    @Test
    @DisplayName("a port of the host's loopback is reached where the operator allows that port")
    void loopbackPort() throws Exception {
        try (var host = new HostListener();
                var other = new HostListener()) {
            open(List.of("127.0.0.1:" + host.port(), "127.0.0.0/8"), List.of(), Map.of());
            var mine = "127.0.0.1:" + host.port();
            var theirs = "127.0.0.1:" + other.port();
            assertThat(tell("connect", mine, theirs))
                    .containsExactly(mine + " told hello ", theirs + " ECONNREFUSED ");
            // The installation's own list narrows it.
            var only = List.of(EgressRule.parse("127.0.0.1:1"));
            assertThat(attempt(only, "connect", mine).told()).contains("ECONNRESET");
            assertThat(refused)
                    .containsExactly(
                            "%s: it is not in the installation's list (config.egress)"
                                    .formatted(mine));
        }
    }

    @Test
    @DisplayName("TEN-06: a name is reached by the addresses that were decided on, not later ones")
    void rebinding() throws Exception {
        try (var host = new HostListener()) {
            var own = HostListener.ownAddress();
            open(List.of("friend.test:" + host.port()), List.of(), Map.of());
            known.put("friend.test", List.of(InetAddress.ofLiteral(own)));
            known.put("foe.test", List.of(InetAddress.ofLiteral(own)));
            known.put(
                    "mixed.test",
                    List.of(InetAddress.ofLiteral("93.184.215.14"), InetAddress.ofLiteral(own)));
            var port = ":" + host.port();
            assertThat(tell("connect", "friend.test" + port, own + port, "friend.test:1"))
                    .containsExactly(
                            "friend.test" + port + " told hello ",
                            own + port + " told hello ",
                            "friend.test:1 ECONNRESET ");
            assertThat(tell("connect", own + port, "foe.test" + port, "mixed.test" + port))
                    .containsExactly(
                            own + port + " ECONNRESET ",
                            "foe.test" + port + " no such name ",
                            "mixed.test" + port + " no such name ");
            // Another answer the second time.
            known.put("foe.test", List.of(InetAddress.ofLiteral("93.184.215.14")));
            assertThat(tell("lookup", "foe.test")).containsExactly("foe.test ['93.184.215.14']");
            known.put("foe.test", List.of(InetAddress.ofLiteral("127.0.0.1")));
            assertThat(tell("lookup", "foe.test")).containsExactly("foe.test no such name");
        }
    }

    @Test
    @DisplayName(
            "TEN-06: this machine is not reached by a network that has it in it, nor a wildcard")
    void ownInAllowed() throws Exception {
        try (var host = new HostListener();
                var named = new HostListener()) {
            var own = HostListener.ownAddress();
            var open = own + ":" + named.port();
            open(List.of("0.0.0.0/0", "*", open), List.of(), Map.of());
            known.put("me.test", List.of(InetAddress.ofLiteral(own)));
            assertThat(tell("connect", own + ":" + host.port(), "me.test:" + host.port(), open))
                    .containsExactly(
                            own + ":" + host.port() + " ECONNRESET ",
                            "me.test:" + host.port() + " ECONNRESET ",
                            open + " told hello ");
            assertThat(host.accepted()).isZero();
        }
    }

    @Test
    @DisplayName("TEN-06: with a list of its own no other name is even asked for")
    void names() throws Exception {
        open(List.of(), List.of("denied.test"), Map.of());
        var address = InetAddress.ofLiteral("93.184.215.14");
        for (var name : List.of("listed.test", "other.test", "denied.test")) {
            known.put(name, List.of(address));
        }
        var only = List.of(EgressRule.parse("listed.test:443"), EgressRule.parse("denied.test"));
        var told =
                attempt(
                                only,
                                "lookup",
                                "listed.test",
                                "other.test",
                                "secret.other.test",
                                "denied.test",
                                "localhost")
                        .told();
        assertThat(told.lines())
                .containsExactly(
                        "listed.test ['93.184.215.14']",
                        "other.test no such name",
                        "secret.other.test no such name",
                        "denied.test no such name",
                        "localhost ['127.0.0.1', '::1']");
        assertThat(asked).containsOnly("listed.test");
    }

    @Test
    @DisplayName("the resolver answers questions of every form, bounded, and survives others")
    void questions() throws Exception {
        open(List.of(), List.of(), Map.of());
        known.put(
                "many.test",
                Stream.iterate(1, next -> next + 1)
                        .limit(100)
                        .map(last -> InetAddress.ofLiteral("93.184.215." + last))
                        .toList());
        var label = "a".repeat(60);
        assertThat(
                        tell(
                                "names",
                                "many.test=1",
                                "MANY.test=1",
                                "many.test=28",
                                "many.test=16",
                                "absent.test=1",
                                "10.0.0.1=1",
                                "0x7f000001=1",
                                "4.3.2.1.in-addr.arpa=12",
                                label + "." + label + "." + label + "." + label + "=1"))
                .containsExactly(
                        "many.test=1 code 0 answers 30 bytes True",
                        "MANY.test=1 code 0 answers 30 bytes True",
                        "many.test=28 code 0 answers 0 bytes True",
                        "many.test=16 code 0 answers 0 bytes True",
                        "absent.test=1 code 3 answers 0 bytes True",
                        "10.0.0.1=1 code 0 answers 0 bytes True",
                        "0x7f000001=1 code 0 answers 0 bytes True",
                        "4.3.2.1.in-addr.arpa=12 code 0 answers 0 bytes True",
                        label
                                + "."
                                + label
                                + "."
                                + label
                                + "."
                                + label
                                + "=1 code 3 answers 0 bytes True");
        assertThat(tell("garbage")).containsExactly("answer 7f000001");
        assertThat(asked).doesNotContain("10.0.0.1", "0x7f000001");
    }

    @Test
    @DisplayName("TEN-05: a program cannot change its network, nor take the worker's ports in it")
    void changes() throws Exception {
        open(List.of(), List.of(), Map.of());
        assertThat(tell("changes"))
                .hasSize(12)
                .allMatch(
                        line ->
                                line.matches(
                                        "\\w+ (EPERM|EACCES|EAFNOSUPPORT|EROFS|ENOENT|EPROTONOSUPPORT)"));
        assertThat(tell("ports"))
                .filteredOn(line -> line.matches("AF_INET6? (1|53|80|443|1023) .*"))
                .hasSize(10)
                .allMatch(line -> line.endsWith(" EACCES"));
        assertThat(tell("ports"))
                .filteredOn(line -> line.endsWith("listens"))
                .contains("AF_INET 1024 listens", "AF_INET 8080 listens");
    }

    @Test
    @DisplayName("a program has listeners of its own, at each of its addresses")
    void own() throws Exception {
        open(List.of(), List.of(), Map.of());
        var own = attempt(null, "own");
        own.heard().awaitStdout("100::8 mine");
        assertThat(own.told().lines()).hasSize(5).allMatch(line -> line.endsWith(" mine"));
    }

    @Test
    @DisplayName("what is large is carried both ways, and an end of one way is one")
    void transfer() throws Exception {
        try (var echo = new HostListener(true)) {
            open(List.of("127.0.0.1:" + echo.port()), List.of(), Map.of());
            int bytes = 50_000_000;
            assertThat(tell("transfer", "127.0.0.1:" + echo.port(), bytes))
                    .singleElement()
                    .asString()
                    .startsWith("returned " + bytes + " ");
            await().until(() -> jails.isolation.connections() == 0);
        }
    }

    @Test
    @DisplayName("an instance has so many connections, others wait; another has its own")
    void many() throws Exception {
        try (var host = new HostListener()) {
            var settings =
                    Map.of(
                            "isolation.max-connections", "20",
                            "isolation.max-open-files", "2000");
            open(List.of("127.0.0.1:" + host.port()), List.of(), settings);
            host.hold();
            var greedy = attempt(null, "many", "127.0.0.1:" + host.port(), 100, 3);
            greedy.heard().awaitStdout("greeted 20");
            assertThat(jails.isolation.connections()).isEqualTo(20);
            assertThat(tell("connect", "127.0.0.1:" + host.port()))
                    .containsExactly("127.0.0.1:%d told hello ".formatted(host.port()));
            jails.termination.terminate(greedy.process(), Duration.ZERO);
            await().until(() -> jails.isolation.connections() == 0);
            // Where connections end, those that wait have their turn.
            host.release();
            var patient = attempt(null, "many", "127.0.0.1:" + host.port(), 100, 15, "end");
            assertThat(patient.told()).contains("greeted 100");
        }
    }

    @Test
    @DisplayName("a user's instances have an eighth of all connections, others have theirs")
    void shares() throws Exception {
        try (var host = new HostListener()) {
            var settings =
                    Map.of(
                            "isolation.total-connections", "80",
                            "isolation.max-open-files", "2000");
            var target = "127.0.0.1:" + host.port();
            open(List.of(target), List.of(), settings);
            host.hold();
            var first = attempt(null, "many", target, 100, 3);
            first.heard().awaitStdout("greeted 10");
            var second = attempt(null, "many", target, 100, 3);
            second.heard().awaitStdout("greeted 0");
            var other = new Reach(null, refused::add);
            assertThat(attempt(Jails.home("other"), other, "connect", target).told())
                    .isEqualTo(target + " told hello \n");
            assertThat(host.accepted()).isEqualTo(11);
            // The user's other instance, which waits, has the places of one that ends.
            jails.termination.terminate(first.process(), Duration.ZERO);
            await().until(() -> host.accepted() == 21);
        }
    }

    @Test
    @DisplayName("a connection on which nobody says anything for long is broken off, and counted")
    void idle() throws Exception {
        try (var host = new HostListener(true)) {
            var target = "127.0.0.1:" + host.port();
            open(List.of(target), List.of(), Map.of("isolation.connection-idle", "6s"));
            assertThat(tell("idle", target)).containsExactly("quiet ECONNRESET", "busy x");
            assertThat(jails.isolation.idleConnections()).isEqualTo(1);
            await().until(() -> jails.isolation.connections() == 0);
        }
    }

    @Test
    @DisplayName("a fault while it is decided on breaks one connection off, and no other")
    void faults() throws Exception {
        try (var host = new HostListener()) {
            var target = "127.0.0.1:" + host.port();
            open(List.of(target), List.of(), Map.of());
            var faulty =
                    new Reach(
                            null,
                            _ -> {
                                throw new IllegalStateException("of this test");
                            });
            assertThat(
                            attempt(Jails.home("team"), faulty, "connect", "10.0.0.1:80", target)
                                    .told()
                                    .lines())
                    .containsExactly("10.0.0.1:80 ECONNRESET ", target + " told hello ");
            assertThat(jails.isolation.carriesNetworks()).isTrue();
        }
    }

    @Test
    @DisplayName("the kernel keeps little of what nobody reads")
    void buffers() throws Exception {
        try (var host = new HostListener()) {
            open(List.of("127.0.0.1:" + host.port()), List.of(), Map.of());
            host.hold();
            long before = kernelBytes();
            attempt(null, "fill", "127.0.0.1:" + host.port(), 50).heard().awaitStdout("full");
            assertThat(jails.isolation.connections()).isEqualTo(50);
            assertThat(kernelBytes() - before).isLessThan(50_000_000);
        }
    }

    /** What the connections of all networks of this machine have in the kernel. */
    private static long kernelBytes() throws IOException {
        var told = Files.readString(Path.of("/proc/net/sockstat"));
        var pages = Pattern.compile("TCP: .* mem (\\d+)").matcher(told);
        assertThat(pages.find()).isTrue();
        return Long.parseLong(pages.group(1)) * 4096;
    }

    @Test
    @DisplayName("a flood of one instance takes nothing from another")
    void flood() throws Exception {
        try (var host = new HostListener()) {
            open(List.of("127.0.0.1:" + host.port()), List.of(), Map.of());
            var flooding = attempt(null, "flood");
            flooding.heard().awaitStdout("flooding");
            assertThat(tell("connect", "127.0.0.1:" + host.port()))
                    .containsExactly("127.0.0.1:%d told hello ".formatted(host.port()));
            int before = refused.size();
            jails.termination.terminate(flooding.process(), Duration.ZERO);
            assertThat(refused.size() - before).isLessThan(2000);
        }
    }
}
