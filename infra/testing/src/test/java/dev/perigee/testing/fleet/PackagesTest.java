package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Servers that are packages")
@ExtendWith(SharedFleet.class)
final class PackagesTest {

    private static final int CALLS = 20;

    @TempDir Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void end() throws Exception {
        for (var one : open.reversed()) {
            one.close();
        }
    }

    private FleetUnderTest fleet(String npmrc) throws IOException {
        var file = Files.writeString(folder.resolve("npmrc"), npmrc);
        var fleet =
                FleetUnderTest.named("packages")
                        .worker("worker.cache-directory", folder.resolve("cache").toString())
                        .worker("packages.npmrc", file.toString())
                        .start();
        open.add(fleet);
        return fleet;
    }

    private static List<Long> servers(FleetUnderTest fleet) {
        return fleet.processesOfServers().stream()
                .map(ProcessHandle::pid)
                .collect(Collectors.toList());
    }

    @Test
    @DisplayName(
            "PRO-105, PRO-07: everything through npx is one process, and the second needs no npm")
    void preparesOnce() throws IOException {
        var registry = NpmRegistry.start();
        open.add(registry);
        var npmrc = "registry=%s\ncache=%s\n".formatted(registry.url(), folder.resolve("npm"));
        var fleet = fleet(npmrc);
        var backend = fleet.backend();
        var helpers = servers(fleet);
        var alice =
                Installation.of(
                        "everything",
                        "npx",
                        List.of("-y", "@modelcontextprotocol/server-everything"));

        backend.install(alice);

        assertThat(backend.text(alice, "echo", "{\"message\":\"hi\"}")).isEqualTo("Echo: hi");
        assertThat(started(fleet, alice, helpers)).hasSize(1);
        assertThat(backend.status(alice, "connecting").text("status_message"))
                .contains("preparing the package @modelcontextprotocol/server-everything");
        assertThat(registry.requests()).isPositive();

        registry.close();
        var bob = alice.ofUser("bob");
        backend.install(bob);

        assertThat(started(fleet, bob, helpers)).hasSize(2);
        var others = backend.install(List.of(alice.ofUser("carol"), alice.ofUser("dave")));
        long best =
                Stream.concat(Stream.of(bob), others.stream())
                        .mapToLong(server -> spawnMillis(fleet, server))
                        .min()
                        .orElseThrow();
        assertThat(best).isBetween(1L, 3000L);
        assertThat(medianMillis(backend, bob)).isLessThan(50);
    }

    private static List<Long> started(
            FleetUnderTest fleet, Installation server, List<Long> helpers) {
        fleet.backend().text(server, "echo", "{\"message\":\"still there\"}");
        var pids = servers(fleet);
        pids.removeAll(helpers);
        return pids;
    }

    private static long spawnMillis(FleetUnderTest fleet, Installation server) {
        return fleet.records()
                .lifecycle(server, "started")
                .json()
                .get("spawn_duration_ms")
                .asLong();
    }

    /** At the worker; the way there and back is not the package's. */
    private static long medianMillis(Backend backend, Installation server) {
        var took = new ArrayList<Long>();
        for (int call = 0; call < CALLS; call++) {
            var answer = backend.call(server, "echo", "{\"message\":\"hi\"}");
            assertThat(answer.text("outcome")).isEqualTo("success");
            took.add(answer.json().get("duration_ms").asLong());
        }
        return took.stream().sorted().toList().get(CALLS / 2);
    }

    @Test
    @NeedsProgram(Program.PYTHON)
    @DisplayName("PRO-07: a server of node and one of python3 are online side by side")
    void runsBothRuntimes(Backend backend) {
        var node = backend.install(Installation.fixture());
        var python =
                backend.install(
                        Installation.of(
                                        "p-server",
                                        Fixtures.PYTHON,
                                        List.of(Fixtures.pythonScript().toString()))
                                .with("runtime", "python")
                                .withEnv("WHO", "P"));

        assertThat(backend.text(node, "echo", "{\"message\":\"hi\"}")).isEqualTo("hi");
        assertThat(backend.text(python, "echo", "{\"message\":\"grüezi\"}")).isEqualTo("grüezi");
        assertThat(backend.text(python, "runtime", "{}")).isNotEmpty();
        assertThat(backend.text(python, "env", "{\"name\":\"WHO\"}")).isEqualTo("P");
    }
}
