package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.operate.HostileServers.Attack;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/** No control group is delegated to it: the worker watches, and the kernel ends what it must. */
@DisplayName("A worker in a container of 750 MB")
@NeedsProgram({Program.RUNC, Program.BUBBLEWRAP, Program.PYTHON})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ContainedLimitsTest {
    @TempDir private static Path directory;
    private ContainedFleet contained;
    private Installation neighbour;

    @BeforeAll
    void start() throws Exception {
        var service = (ObjectNode) Compose.read().at("/services/worker-1");
        contained =
                ContainedFleet.start(
                        "contained-limits",
                        directory,
                        service.put("mem_limit", "750m"),
                        HostileServers.LIMITS,
                        List.of(Fixtures.pythonScript()));
        neighbour = contained.install(HostileServers.server("neighbour"));
    }

    @AfterAll
    void end() {
        if (contained != null) {
            contained.close();
        }
    }

    @Test
    @DisplayName("TEN-08: has no control groups to give, and says so")
    void hasNoGroups() {
        var heartbeat = contained.fleet().records().await(Topic.HEARTBEATS, "heartbeat", r -> true);

        assertThat(heartbeat.text("isolation")).contains("memory by control groups");
    }

    @ParameterizedTest(name = "{0} by {1}")
    @CsvSource({
        "oom, many, 80, 12",
        "oom, empty_sockets, 30, 80",
        "oom, pipes, 30, 300",
        "pids, bomb, 300, 0"
    })
    @DisplayName("TEN-08, TEN-09: ends who uses too much alone, and the crashed event says of what")
    void ends(String limit, String deed, String many, String size) {
        new HostileServers(contained.fleet())
                .assertEnds(limit, attacker(deed), neighbour, deed, many, size);
    }

    private Installation attacker(String deed) {
        return contained.install(HostileServers.server(deed.replace('_', '-')));
    }

    @Test
    @DisplayName("TEN-09: ends several at a time, each for what it does")
    void endsSeveral() {
        var attacks =
                Stream.of(
                                "cpu burners 4",
                                "disk home_bytes 20",
                                "disk home_files 1000",
                                "io write_over 200")
                        .map(each -> List.of(each.split(" ")))
                        .map(
                                each ->
                                        new Attack(
                                                each.getFirst(),
                                                attacker(each.get(1)),
                                                each.subList(1, 3)))
                        .toList();

        new HostileServers(contained.fleet()).assertEnd(attacks, neighbour);
    }
}
