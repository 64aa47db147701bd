package dev.perigee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.perigee.local.sample.SampleServer;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.worker.process.isolation.CacheLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

@DisplayName("A fleet for tests")
final class PerigeeFleetTest {

    /** Processes that the class below has seen, parts and servers. */
    private static final List<ProcessHandle> SEEN = new CopyOnWriteArrayList<>();

    /** Argument of a process of its server that init has adopted. */
    private static final String STRAY = "86400." + ProcessHandle.current().pid();

    /** A class of tests as a backend has it; run by a test below, and found by no pattern. */
    static final class OfABackend {
        @RegisterExtension
        static final PerigeeFleet fleet = PerigeeFleet.builder().set("idle.timeout", "1h").build();

        @Test
        void goesOnWithoutAWorkerAndABroker() throws Exception {
            var command =
                    new ArrayList<>(
                            List.of(
                                    "sh",
                                    "-c",
                                    "(setsid sleep \"$1\" < /dev/null > /dev/null 2>&1 &)"
                                            + " && shift && exec \"$@\"",
                                    "sh",
                                    STRAY));
            command.addAll(SampleServer.command());
            try (var server = fleet.install("sample", command)) {
                see();
                await().until(PerigeeFleetTest::strays);

                fleet.kill("worker-1");
                assertThat(strays()).as("the watchdog has come to its end").isFalse();
                fleet.startAgain("worker-1");
                answers(server);

                part("broker").destroyForcibly();
                await().untilAsserted(
                                () ->
                                        assertThatThrownBy(fleet::bootstrap)
                                                .isInstanceOf(IllegalStateException.class)
                                                .hasMessageContaining(
                                                        "broker was ended by signal 9"));
                fleet.startAgain("broker");
                answers(server);
                see();
            }
        }

        @Nested
        class Inside {
            @Test
            void hasTheSameFleet(PerigeeFleet given) {
                assertThat(given).isSameAs(fleet);
                assertThat(given.client().isOpen()).isTrue();
                see();
            }
        }

        private static void answers(InstalledServer server) {
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(100))
                    .ignoreExceptions() // Of a client whose broker was away.
                    .until(
                            () -> server.call("echo", "{\"message\":\"hi\"}").outcome(),
                            ToolOutcome.SUCCESS::equals);
        }

        private void see() {
            ProcessHandle.current().descendants().forEach(SEEN::add);
        }
    }

    private static boolean strays() {
        return ProcessHandle.allProcesses()
                .flatMap(process -> process.info().arguments().stream())
                .anyMatch(arguments -> Arrays.asList(arguments).contains(STRAY));
    }

    private static ProcessHandle part(String name) {
        return ProcessHandle.current()
                .children()
                .filter(child -> commandLine(child).contains("\0--name\0" + name + "\0"))
                .findFirst()
                .orElseThrow();
    }

    /** Whole, which the class path's length keeps the JDK's from. */
    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("starts with a class, serves again after faults, and leaves no process")
    void isOfAClass() {
        var before = ProcessHandle.current().descendants().toList();
        var summary = new SummaryGeneratingListener();
        var request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(OfABackend.class))
                        .build();

        LauncherFactory.create().execute(request, summary);

        assertThat(summary.getSummary().getFailures())
                .extracting(failure -> failure.getException())
                .isEmpty();
        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(2);
        doesNotRun(OfABackend.fleet);
        SEEN.removeAll(before);
        assertThat(SEEN).hasSizeGreaterThan(5);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !strays() && SEEN.stream().noneMatch(PerigeeFleetTest::runs));
    }

    /** A zombie that init has not collected has no program any more. */
    private static boolean runs(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    private static void doesNotRun(PerigeeFleet fleet) {
        assertThatThrownBy(fleet::bootstrap)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("static field with @RegisterExtension");
    }

    @Test
    @DisplayName("that does not start says why, once, and what to do")
    void saysWhatToDo() {
        var fleet =
                PerigeeFleet.builder()
                        .gateways(0)
                        .workers(0)
                        .set("broker.kafka.log.segment.bytes", "many")
                        .build();

        assertThatThrownBy(fleet::start)
                .isInstanceOf(FleetStartException.class)
                .hasMessageContaining("broker ended with exit code")
                .hasMessageContaining("log.segment.bytes")
                .hasMessageContaining("What to do:")
                .satisfies(first -> assertThatThrownBy(fleet::start).isSameAs(first));
        doesNotRun(fleet);
    }

    @Test
    @DisplayName("has an address of its own, the same each time")
    void keepsItsAddress() {
        var fleet = PerigeeFleet.builder().build();
        var other = PerigeeFleet.builder().build();

        var port = fleet.addressed().kafkaPort();

        assertThat(port).isPositive().isNotEqualTo(other.addressed().kafkaPort());
        assertThat(fleet.addressed().kafkaPort()).isEqualTo(port);
    }

    @Test
    @DisplayName("takes none of Perigee's variables but flags of JVMs and those of logs")
    void takesVariables() {
        var taken = Map.of("PATH", "/bin", "PERIGEE_JAVA_OPTS", "-Dx", "PERIGEE_LOG_LEVEL", "info");
        var environment = new HashMap<>(taken);
        environment.put("PERIGEE_ISOLATION_MODE", "auto");
        environment.put("PERIGEE_LINK_TOKEN", "secret");

        assertThat(RunningFleet.taken(environment)).isEqualTo(taken);
    }

    @Test
    @DisplayName("waits for processes that end by themselves, and kills the others")
    void endsDescendants() throws Exception {
        var ending = new ProcessBuilder("cat").start();
        ending.getOutputStream().close();
        new Descendants(List.of(ending.toHandle())).awaitEnd(Duration.ofSeconds(10));
        assertThat(ending.waitFor()).isZero();

        var staying = new ProcessBuilder("sleep", "86400").start();
        new Descendants(List.of(staying.toHandle())).awaitEnd(Duration.ZERO);
        assertThat(staying.waitFor()).isEqualTo(128 + 9);
    }

    @Test
    @DisplayName("removes the homes of its servers, and nothing that they link to")
    void removesHomes(@TempDir Path cache) throws Exception {
        var other = Files.writeString(cache.resolve("other"), "kept");
        var homes = TeamHomes.of(cache);
        var home = Files.createDirectories(homes.directory().resolve("user/installation/node"));
        Files.createSymbolicLink(home.resolve("link"), other);
        Files.createSymbolicLink(home.resolve("all"), cache);
        assertThat(homes.directory()).hasFileName(CacheLayout.name(homes.team()));
        var neighbour = Files.createDirectories(cache.resolve("homes/t1/u1"));

        homes.delete();
        homes.delete();

        assertThat(homes.directory()).doesNotExist();
        assertThat(other).hasContent("kept");
        assertThat(neighbour).isDirectory();
    }

    @Test
    @DisplayName("says why a server is not uninstalled")
    void saysWhyAServerStays() {
        var error = new CommandError("unavailable", "No worker");
        var result =
                new CommandResult(
                        CommandResult.EVENT,
                        "id",
                        null,
                        CommandOutcome.FAILED,
                        null,
                        null,
                        error,
                        Instant.EPOCH);

        assertThatThrownBy(() -> InstalledServer.requireCompleted(result))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("FAILED")
                .hasMessageContaining("No worker");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "link.tokn | the nearest is link.token",
                "topics.prefix | topics.prefix",
                "worker.id | each worker gets its own"
            })
    @DisplayName("refuses settings that no part knows, or that it gives itself")
    void refuses(String key, String message) {
        var builder = PerigeeFleet.builder().set(key, "secret-value");

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message.strip())
                .hasMessageNotContaining("secret-value");
    }

    @Test
    @DisplayName("refuses a gateway without a worker")
    void refusesShapes() {
        assertThatThrownBy(PerigeeFleet.builder().workers(0)::build)
                .isInstanceOf(IllegalArgumentException.class);
    }
}
