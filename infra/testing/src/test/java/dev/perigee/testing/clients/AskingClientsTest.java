package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A server of the official SDK. */
@DisplayName("CAL-04: programs on the clients for TypeScript and Python answer what servers ask")
final class AskingClientsTest {
    @RegisterExtension
    private static final ClientFleet fleet =
            new ClientFleet(
                    FleetUnderTest.named("asking-clients").worker("mcp.announce-input", "true"));

    @Test
    @DisplayName("once each, and the link is cut meanwhile, in TypeScript")
    void typescriptAcrossACut(@TempDir Path folder) throws Exception {
        answers(ClientProgram::node, "asks.mjs", folder, fleet::cut);
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("once each, and the link is cut meanwhile, in Python")
    void pythonAcrossACut(@TempDir Path folder) throws Exception {
        answers(ClientProgram::python, "asks.py", folder, fleet::cut);
    }

    @Test
    @DisplayName("on a topic of their own, and the gateways are killed meanwhile, in TypeScript")
    void typescriptAcrossAGatewaysEnd(@TempDir Path folder) throws Exception {
        answers(ClientProgram::node, "asks.mjs", folder, fleet::kill, ClientFleet.REPLIES);
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("on a topic of their own, and the gateways are killed meanwhile, in Python")
    void pythonAcrossAGatewaysEnd(@TempDir Path folder) throws Exception {
        answers(ClientProgram::python, "asks.py", folder, fleet::kill, ClientFleet.REPLIES);
    }

    private void answers(
            ClientProgram.Launcher launcher,
            String program,
            Path folder,
            ClientFleet.Outage outage,
            String... more)
            throws Exception {
        var server = asking();
        var goOn = folder.resolve("go-on");
        var arguments = new ArrayList<>(List.of(server.config().toString(), goOn.toString()));
        arguments.addAll(List.of(more));
        ClientFleet.Outage meanwhile =
                () -> {
                    outage.happen();
                    Files.createFile(goOn);
                };

        var report = fleet.run(launcher, program, folder, "asked", meanwhile, arguments);

        isAnswered(report);
        isNotAnswered(report);
        oneQuestionEach(server);
    }

    private static Installation asking() {
        return Installation.of(
                "asking",
                Fixtures.NODE,
                List.of(
                        Fixtures.askingScript().toString(),
                        NpmServers.installed().modules().toString()));
    }

    private static void isAnswered(JsonNode report) {
        assertThat(report.path("installed").asString("")).isEqualTo("online");
        assertThat(report.at("/waited/0/content/room").asString(""))
                .as(report::toString)
                .isEqualTo("blue");
        assertThat(report.path("asked")).as("a repeat is left out").hasSize(1);
        var request = report.at("/asked/0/question");
        assertThat(request.path("method").asString("")).isEqualTo("elicitation/create");
        assertThat(request.at("/params/message").asString("")).isEqualTo("Which room?");
        assertThat(request.at("/params/requestedSchema/required/0").asString("")).isEqualTo("room");
        assertThat(report.at("/sampled/0/content/text").asString(""))
                .isEqualTo("sampling/createMessage Which room?");
        assertThat(report.path("many").asInt(0)).as(report::toString).isEqualTo(16);
        assertThat(report.path("ids").asInt(0)).isEqualTo(16);
        assertThat(report.at("/mended/0/content/room").asString("")).isEqualTo("blue");
    }

    private static void isNotAnswered(JsonNode report) {
        assertThat(report.path("again").asString("")).isEqualTo("invalid_request");
        assertThat(report.path("refused")).hasSize(1);
        assertThat(report.at("/refused/0").asString("")).isEqualTo("invalid_request");
        assertThat(report.path("thrown").asString("")).isEqualTo("no idea");
        assertThat(report.path("unanswered").asString("")).isEqualTo("input_timeout");
        assertThat(report.path("ended").asString("")).isEqualTo("cancelled");
    }

    /** However often it is published: the fleet has as many as the program tells of. */
    private void oneQuestionEach(Installation server) {
        assertThat(
                        fleet.records().on(Topic.CALL_EVENTS).stream()
                                .filter(
                                        event ->
                                                event.text("process_id").equals(server.processId()))
                                .map(event -> event.text("input_id"))
                                .distinct())
                .hasSize(22);
    }
}
