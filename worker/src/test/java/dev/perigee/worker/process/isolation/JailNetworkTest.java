package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.config.EgressRule;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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

    private final JailNetwork network;

    @TempDir private Path caches;

    JailNetworkTest(JailKind kind) {
        network = new JailNetwork(kind);
    }

    @AfterEach
    void close() {
        network.close();
    }

    @Test
    @DisplayName("TEN-05: nothing of the host, of its loopback or of a neighbour is reached")
    void closed() throws Exception {
        network.open(caches, List.of(), List.of(), Map.of());
        try (var host = new HostListener()) {
            int port = host.port();
            var neighbour = network.attempt(null, "own");
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
            assertThat(network.tell("connect", targets.toArray()))
                    .hasSameSizeAs(targets)
                    .allMatch(line -> line.matches("\\S+ (ECONNREFUSED|ECONNRESET|closed) "));
            assertThat(host.accepted()).isZero();
            assertThat(network.refused).hasSameSizeAs(HostListener.ownAddresses());
        }
    }

    @Test
    @DisplayName("TEN-05: no abstract socket of the host or of a neighbour is reached")
    void abstractSockets() throws Exception {
        network.open(caches, List.of(), List.of(), Map.of());
        network.attempt(null, "own").heard().awaitStdout("100::8 mine");
        var neighbours = "own-" + network.jails().token;
        assertThat(network.tell("abstract", neighbours))
                .containsExactly(neighbours + " ECONNREFUSED");
        var name = "perigee-test-" + network.jails().token;
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
            assertThat(network.tell("abstract", name)).containsExactly(name + " ECONNREFUSED");
        } finally {
            listening.destroyForcibly();
        }
    }

    @Test
    @DisplayName("TEN-06: no address is reached that is not on the internet, in whatever form")
    void internetOnly() throws Exception {
        network.open(caches, List.of(), List.of(), Map.of());
        assertThat(network.tell("connect", NOT_INTERNET.toArray()))
                .hasSameSizeAs(NOT_INTERNET)
                .allMatch(
                        line -> line.matches("\\S+ (ECONNRESET|ENETUNREACH|EACCES|EINVAL|EPERM) "));
        assertThat(network.refused)
                .anyMatch(
                        what ->
                                what.startsWith("169.254.169.254:80: the fleet's")
                                        && what.endsWith("(egress.allow of the workers)"));
        assertThat(network.jails().isolation.refused()).isGreaterThanOrEqualTo(15);
    }

    @Test
    @DisplayName("TEN-06: no datagram leaves, and that is seen at once")
    void datagrams() throws Exception {
        network.open(caches, List.of("*"), List.of(), Map.of());
        assertThat(network.tell("datagrams", "8.8.8.8:53", "1.1.1.1:443", "[2606:4700::1111]:53"))
                .hasSize(3)
                .allMatch(line -> line.matches("\\S+ (EPERM|ECONNREFUSED)"));
    }

    @Test
    @DisplayName("a port of the host's loopback is reached where the operator allows that port")
    void loopbackPort() throws Exception {
        try (var host = new HostListener();
                var other = new HostListener()) {
            network.open(
                    caches,
                    List.of("127.0.0.1:" + host.port(), "127.0.0.0/8"),
                    List.of(),
                    Map.of());
            var mine = "127.0.0.1:" + host.port();
            var theirs = "127.0.0.1:" + other.port();
            assertThat(network.tell("connect", mine, theirs))
                    .containsExactly(mine + " told hello ", theirs + " ECONNREFUSED ");
            // The installation's own list narrows it.
            var only = List.of(EgressRule.parse("127.0.0.1:1"));
            assertThat(network.attempt(only, "connect", mine).told()).contains("ECONNRESET");
            assertThat(network.refused)
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
            network.open(caches, List.of("friend.test:" + host.port()), List.of(), Map.of());
            network.known.put("friend.test", List.of(InetAddress.ofLiteral(own)));
            network.known.put("foe.test", List.of(InetAddress.ofLiteral(own)));
            network.known.put(
                    "mixed.test",
                    List.of(InetAddress.ofLiteral("93.184.215.14"), InetAddress.ofLiteral(own)));
            var port = ":" + host.port();
            assertThat(network.tell("connect", "friend.test" + port, own + port, "friend.test:1"))
                    .containsExactly(
                            "friend.test" + port + " told hello ",
                            own + port + " told hello ",
                            "friend.test:1 ECONNRESET ");
            assertThat(network.tell("connect", own + port, "foe.test" + port, "mixed.test" + port))
                    .containsExactly(
                            own + port + " ECONNRESET ",
                            "foe.test" + port + " no such name ",
                            "mixed.test" + port + " no such name ");
            // Another answer the second time.
            network.known.put("foe.test", List.of(InetAddress.ofLiteral("93.184.215.14")));
            assertThat(network.tell("lookup", "foe.test"))
                    .containsExactly("foe.test ['93.184.215.14']");
            network.known.put("foe.test", List.of(InetAddress.ofLiteral("127.0.0.1")));
            assertThat(network.tell("lookup", "foe.test")).containsExactly("foe.test no such name");
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
            network.open(caches, List.of("0.0.0.0/0", "*", open), List.of(), Map.of());
            network.known.put("me.test", List.of(InetAddress.ofLiteral(own)));
            assertThat(
                            network.tell(
                                    "connect",
                                    own + ":" + host.port(),
                                    "me.test:" + host.port(),
                                    open))
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
        network.open(caches, List.of(), List.of("denied.test"), Map.of());
        var address = InetAddress.ofLiteral("93.184.215.14");
        for (var name : List.of("listed.test", "other.test", "denied.test")) {
            network.known.put(name, List.of(address));
        }
        var only = List.of(EgressRule.parse("listed.test:443"), EgressRule.parse("denied.test"));
        var told =
                network.attempt(
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
        assertThat(network.asked).containsOnly("listed.test");
    }

    @Test
    @DisplayName("the resolver answers questions of every form, bounded, and survives others")
    void questions() throws Exception {
        network.open(caches, List.of(), List.of(), Map.of());
        network.known.put(
                "many.test",
                Stream.iterate(1, next -> next + 1)
                        .limit(100)
                        .map(last -> InetAddress.ofLiteral("93.184.215." + last))
                        .toList());
        var label = "a".repeat(60);
        assertThat(
                        network.tell(
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
        assertThat(network.tell("garbage")).containsExactly("answer 7f000001");
        assertThat(network.asked).doesNotContain("10.0.0.1", "0x7f000001");
    }

    @Test
    @DisplayName("TEN-05: a program cannot change its network, nor take the worker's ports in it")
    void changes() throws Exception {
        network.open(caches, List.of(), List.of(), Map.of());
        assertThat(network.tell("changes"))
                .hasSize(12)
                .allMatch(
                        line ->
                                line.matches(
                                        "\\w+ (EPERM|EACCES|EAFNOSUPPORT|EROFS|ENOENT|EPROTONOSUPPORT)"));
        assertThat(network.tell("ports"))
                .filteredOn(line -> line.matches("AF_INET6? (1|53|80|443|1023) .*"))
                .hasSize(10)
                .allMatch(line -> line.endsWith(" EACCES"));
        assertThat(network.tell("ports"))
                .filteredOn(line -> line.endsWith("listens"))
                .contains("AF_INET 1024 listens", "AF_INET 8080 listens");
    }

    @Test
    @DisplayName("a program has listeners of its own, at each of its addresses")
    void own() throws Exception {
        network.open(caches, List.of(), List.of(), Map.of());
        var own = network.attempt(null, "own");
        own.heard().awaitStdout("100::8 mine");
        assertThat(own.told().lines()).hasSize(5).allMatch(line -> line.endsWith(" mine"));
    }
}
