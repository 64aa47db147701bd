package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs in real jails make more connections, of more bytes, than they are to have. */
@DisplayName("Connections of a network of its own")
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@ParameterizedClass(name = "{0}")
@MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
final class JailConnectionsTest {
    private final JailNetwork network;

    @TempDir private Path caches;

    JailConnectionsTest(JailKind kind) {
        network = new JailNetwork(kind);
    }

    @AfterEach
    void close() {
        network.close();
    }

    @Test
    @DisplayName("what is large is carried both ways, and an end of one way is one")
    void transfer() throws Exception {
        try (var echo = new HostListener(true)) {
            network.open(caches, List.of("127.0.0.1:" + echo.port()), List.of(), Map.of());
            int bytes = 20_000_000;
            assertThat(network.tell("transfer", "127.0.0.1:" + echo.port(), bytes))
                    .singleElement()
                    .asString()
                    .startsWith("returned " + bytes + " ");
            await().until(() -> network.jails().isolation.connections() == 0);
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
            network.open(caches, List.of("127.0.0.1:" + host.port()), List.of(), settings);
            host.hold();
            var greedy = network.attempt(null, "many", "127.0.0.1:" + host.port(), 100, 2);
            greedy.heard().awaitStdout("greeted 20");
            assertThat(network.jails().isolation.connections()).isEqualTo(20);
            assertThat(network.tell("connect", "127.0.0.1:" + host.port()))
                    .containsExactly("127.0.0.1:%d told hello ".formatted(host.port()));
            network.jails().termination.terminate(greedy.process(), Duration.ZERO);
            await().until(() -> network.jails().isolation.connections() == 0);
            // Where connections end, those that wait have their turn.
            host.release();
            var patient = network.attempt(null, "many", "127.0.0.1:" + host.port(), 100, 15, "end");
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
            network.open(caches, List.of(target), List.of(), settings);
            host.hold();
            var first = network.attempt(null, "many", target, 100, 2);
            first.heard().awaitStdout("greeted 10");
            var second = network.attempt(null, "many", target, 100, 2);
            second.heard().awaitStdout("greeted 0");
            var other = new ProgramEgress(null, network.refused::add);
            assertThat(network.attempt(Jails.home("other"), other, "connect", target).told())
                    .isEqualTo(target + " told hello \n");
            assertThat(host.accepted()).isEqualTo(11);
            // The user's other instance, which waits, has the places of one that ends.
            network.jails().termination.terminate(first.process(), Duration.ZERO);
            await().until(() -> host.accepted() == 21);
        }
    }

    @Test
    @DisplayName("a connection on which nobody says anything for long is broken off, and counted")
    void idle() throws Exception {
        try (var host = new HostListener(true)) {
            var target = "127.0.0.1:" + host.port();
            network.open(
                    caches, List.of(target), List.of(), Map.of("isolation.connection-idle", "3s"));
            assertThat(network.tell("idle", target)).containsExactly("quiet ECONNRESET", "busy x");
            assertThat(network.jails().isolation.idleConnections()).isEqualTo(1);
            await().until(() -> network.jails().isolation.connections() == 0);
        }
    }

    @Test
    @DisplayName("a fault while it is decided on breaks one connection off, and no other")
    void faults() throws Exception {
        try (var host = new HostListener()) {
            var target = "127.0.0.1:" + host.port();
            network.open(caches, List.of(target), List.of(), Map.of());
            var faulty =
                    new ProgramEgress(
                            null,
                            _ -> {
                                throw new IllegalStateException("of this test");
                            });
            assertThat(
                            network.attempt(
                                            Jails.home("team"),
                                            faulty,
                                            "connect",
                                            "10.0.0.1:80",
                                            target)
                                    .told()
                                    .lines())
                    .containsExactly("10.0.0.1:80 ECONNRESET ", target + " told hello ");
            assertThat(network.jails().isolation.carriesNetworks()).isTrue();
        }
    }

    @Test
    @DisplayName("the kernel keeps little of what nobody reads")
    void buffers() throws Exception {
        try (var host = new HostListener()) {
            network.open(caches, List.of("127.0.0.1:" + host.port()), List.of(), Map.of());
            host.hold();
            long before = kernelBytes();
            network.attempt(null, "fill", "127.0.0.1:" + host.port(), 50)
                    .heard()
                    .awaitStdout("full");
            assertThat(network.jails().isolation.connections()).isEqualTo(50);
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
            network.open(caches, List.of("127.0.0.1:" + host.port()), List.of(), Map.of());
            var flooding = network.attempt(null, "flood");
            flooding.heard().awaitStdout("flooding");
            assertThat(network.tell("connect", "127.0.0.1:" + host.port()))
                    .containsExactly("127.0.0.1:%d told hello ".formatted(host.port()));
            int before = network.refused.size();
            network.jails().termination.terminate(flooding.process(), Duration.ZERO);
            assertThat(network.refused.size() - before).isLessThan(2000);
        }
    }
}
