package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@DisplayName("DEP-03: programs on the clients for TypeScript and Python")
final class ClientsTest {
    private static final int CALLS = 60;

    @RegisterExtension
    private static final ClientFleet fleet = new ClientFleet(FleetUnderTest.named("clients"));

    @Test
    @DisplayName("get one answer to each call while the link is cut, in TypeScript")
    void typescriptAcrossACut(@TempDir Path folder) throws Exception {
        survives(ClientProgram::node, "calls.mjs", folder, fleet::cut);
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("get one answer to each call while the link is cut, in Python")
    void pythonAcrossACut(@TempDir Path folder) throws Exception {
        survives(ClientProgram::python, "calls.py", folder, fleet::cut);
    }

    @Test
    @DisplayName("get them on a topic of their own when a gateway is killed, in TypeScript")
    void typescriptAcrossAGatewaysEnd(@TempDir Path folder) throws Exception {
        survives(ClientProgram::node, "calls.mjs", folder, fleet::kill, ClientFleet.REPLIES);
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("get them on a topic of their own when a gateway is killed, in Python")
    void pythonAcrossAGatewaysEnd(@TempDir Path folder) throws Exception {
        survives(ClientProgram::python, "calls.py", folder, fleet::kill, ClientFleet.REPLIES);
    }

    private void survives(
            ClientProgram.Launcher launcher,
            String program,
            Path folder,
            ClientFleet.Outage outage,
            String... more)
            throws Exception {
        var server = Installation.fixture();
        var file = folder.resolve("count");
        var arguments =
                new ArrayList<>(
                        List.of(
                                server.config().toString(),
                                file.toString(),
                                String.valueOf(CALLS)));
        arguments.addAll(List.of(more));

        var report = fleet.run(launcher, program, folder, "halfway", outage, arguments);

        assertThat(Files.readAllLines(file)).hasSize(CALLS).doesNotHaveDuplicates();
        holds(report);
        if (more.length == 0) {
            // A reply topic has copies, for which no order is promised.
            assertThat(progress(report)).isSorted();
        }
        oneAnswerEach(server);
    }

    private static void holds(JsonNode report) {
        assertThat(texts(report.get("outcomes"))).hasSize(CALLS).containsOnly("success");
        assertThat(report.get("installed").asString()).as(report::toString).isEqualTo("online");
        assertThat(report.get("reported").asString()).as(report::toString).isEqualTo("success");
        // What a new gateway publishes after the answer is left out.
        assertThat(progress(report)).doesNotHaveDuplicates().hasSizeGreaterThan(1);
        assertThat(report.get("tools").asBoolean()).as(report::toString).isTrue();
        assertThat(report.get("cancelled").asString()).as(report::toString).isEqualTo("cancelled");
        assertThat(report.get("removed").asString()).as(report::toString).isEqualTo("completed");
        assertThat(texts(report.get("statuses"))).contains("online").endsWith("uninstalled");
    }

    private static List<Double> progress(JsonNode report) {
        return texts(report.get("progress")).stream().map(Double::parseDouble).toList();
    }

    /** What the fleet published, which may have repeats, says of each request one thing. */
    private void oneAnswerEach(Installation server) {
        var requests =
                IntStream.rangeClosed(1, CALLS)
                        .mapToObj(n -> server.installationId() + "-" + n)
                        .toList();
        for (var request : requests) {
            assertThat(
                            fleet.records().on(Topic.TOOL_RESULTS).stream()
                                    .filter(answer -> answer.key().equals(request))
                                    .map(answer -> answer.header("ce_id"))
                                    .distinct())
                    .as(request)
                    .hasSize(1);
        }
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(JsonNode::asString).toList();
    }
}
