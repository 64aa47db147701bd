package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each jail has a control group of its own below the worker's: the kernel limits its memory. */
@DisplayName("A worker with a delegated control group of 750 MB")
@NeedsProgram({Program.BUBBLEWRAP, Program.PYTHON})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DelegatedLimitsTest {
    private static final long MEMORY = 750L << 20;

    @TempDir private static Path caches;
    private ControlGroup group;
    private FleetUnderTest fleet;
    private Installation neighbour;

    @BeforeAll
    void start() throws Exception {
        group = ControlGroup.ofMemory(MEMORY);
        var settings = new HashMap<>(HostileServers.LIMITS);
        settings.put("worker.mode", "production");
        settings.put("isolation.mode", "bubblewrap");
        settings.put("isolation.read-only-paths", Fixtures.pythonScript().toString());
        settings.put("isolation.pass-environment", "FLEET_UNDER_TEST,CI_RUN_MARK");
        // So that it is the group of the server that is full, never the watch that was faster.
        settings.put("isolation.total-memory", "0");
        settings.put("worker.cache-directory", caches.toString());
        var builder = FleetUnderTest.named("delegated").workersBy(group.entry());
        settings.forEach(builder::worker);
        fleet = builder.start();
        neighbour = fleet.backend().install(HostileServers.server("neighbour"));
    }

    @AfterAll
    void end() throws IOException {
        if (fleet != null) {
            fleet.close();
        }
        if (group != null) {
            group.close();
        }
    }

    @Test
    @DisplayName("TEN-08, TEN-09: gives each jail a group with its limits and its weight")
    void hasGroups() throws IOException {
        var heartbeat = fleet.records().await(Topic.HEARTBEATS, "heartbeat", r -> true);
        assertThat(heartbeat.text("isolation")).doesNotContain("memory by control groups");

        try (var below = Files.list(group.path())) {
            var jails =
                    below.filter(path -> path.getFileName().toString().startsWith("perigee:"))
                            .toList();
            assertThat(jails).isNotEmpty().allSatisfy(this::assertLimited);
        }
    }

    private void assertLimited(Path jail) {
        for (var limit : limits().entrySet()) {
            assertThat(jail.resolve(limit.getKey())).hasContent(limit.getValue());
        }
    }

    private Map<String, String> limits() {
        return group.unified()
                ? Map.of(
                        "memory.max", "536870912",
                        "memory.oom.group", "1",
                        "pids.max", "200",
                        "cpu.weight", "10",
                        "io.weight", "default 10")
                : Map.of("memory.limit_in_bytes", "536870912");
    }

    @ParameterizedTest(name = "{0} by {1}")
    @CsvSource({
        "oom, many, 80, 12",
        "pids, bomb, 300, 0",
        "cpu, burners, 4, 0",
        "io, write_over, 200, 0"
    })
    @DisplayName("TEN-08, TEN-09: ends who uses too much alone, and the crashed event says of what")
    void ends(String limit, String deed, String many, String size) {
        var attacker = fleet.backend().install(HostileServers.server(deed.replace('_', '-')));

        new HostileServers(fleet).assertEnds(limit, attacker, neighbour, deed, many, size);
    }

    @Test
    @DisplayName("TEN-09: counts what processes write that live short and that nobody waits for")
    void endsUnseen() {
        group.requireUnified();
        var attacker = fleet.backend().install(HostileServers.server("unseen"));

        new HostileServers(fleet)
                .assertEnds("io", attacker, neighbour, "write_over_unseen", "2000");
    }
}
