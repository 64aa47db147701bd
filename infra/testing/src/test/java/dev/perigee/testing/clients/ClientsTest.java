package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.clients.Crossing.Passenger;
import dev.perigee.testing.fleet.Installation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** One fleet, and one outage of each kind that all programs go through together. */
@DisplayName("Programs on the clients for TypeScript and Python")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClientsTest {
    @RegisterExtension private static final ClientFleet fleet = new ClientFleet();

    @TempDir private static Path files;

    private @Nullable Crossing ofCut;
    private @Nullable Crossing ofKill;

    @AfterAll
    void end() {
        Stream.of(ofCut, ofKill).filter(each -> each != null).forEach(Crossing::close);
    }

    private Crossing cut() throws Exception {
        if (ofCut == null) {
            ofCut = new Crossing(fleet, Files.createDirectory(files.resolve("cut")));
            ofCut.through(fleet::cut);
        }
        return ofCut;
    }

    private Crossing kill() throws Exception {
        if (ofKill == null) {
            var folder = Files.createDirectory(files.resolve("kill"));
            ofKill = new Crossing(fleet, folder, ClientFleet.REPLIES);
            ofKill.through(fleet::kill);
        }
        return ofKill;
    }

    @Test
    @DisplayName("DEP-03: get one answer to each call while the link is cut, in TypeScript")
    void typescriptAcrossACut() throws Exception {
        survives(cut().calling(Crossing.TYPESCRIPT), true);
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("DEP-03: get one answer to each call while the link is cut, in Python")
    void pythonAcrossACut() throws Exception {
        survives(cut().calling(Crossing.PYTHON), true);
    }

    @Test
    @DisplayName(
            "DEP-03: get one answer to each call on a topic of their own when a gateway is killed, in TypeScript")
    void typescriptAcrossAGatewaysEnd() throws Exception {
        survives(kill().calling(Crossing.TYPESCRIPT), false);
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName(
            "DEP-03: get one answer to each call on a topic of their own when a gateway is killed, in Python")
    void pythonAcrossAGatewaysEnd() throws Exception {
        survives(kill().calling(Crossing.PYTHON), false);
    }

    /**
     * @param isOrdered not where the answers are on a reply topic: it has copies, for which no
     *     order is promised
     */
    private void survives(Passenger program, boolean isOrdered) throws Exception {
        var report = program.report();

        assertThat(Files.readAllLines(program.file()))
                .hasSize(Crossing.CALLS)
                .doesNotHaveDuplicates();
        holds(report);
        if (isOrdered) {
            assertThat(progress(report)).isSorted();
        }
        oneAnswerEach(program.server());
    }

    private static void holds(JsonNode report) {
        assertThat(texts(report.get("outcomes"))).hasSize(Crossing.CALLS).containsOnly("success");
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
                IntStream.rangeClosed(1, Crossing.CALLS)
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

    @Test
    @DisplayName(
            "CAL-04: answer what servers ask, once each, and the link is cut meanwhile, in TypeScript")
    void typescriptAnswersAcrossACut() throws Exception {
        answers(cut().asked(Crossing.TYPESCRIPT));
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName(
            "CAL-04: answer what servers ask, once each, and the link is cut meanwhile, in Python")
    void pythonAnswersAcrossACut() throws Exception {
        answers(cut().asked(Crossing.PYTHON));
    }

    @Test
    @DisplayName(
            "CAL-04: answer what servers ask, once each, on a topic of their own, and the gateways are killed, in TypeScript")
    void typescriptAnswersAcrossAGatewaysEnd() throws Exception {
        answers(kill().asked(Crossing.TYPESCRIPT));
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName(
            "CAL-04: answer what servers ask, once each, on a topic of their own, and the gateways are killed, in Python")
    void pythonAnswersAcrossAGatewaysEnd() throws Exception {
        answers(kill().asked(Crossing.PYTHON));
    }

    private void answers(Passenger program) throws Exception {
        var report = program.report();

        isAnswered(report);
        isNotAnswered(report);
        oneQuestionEach(program.server());
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

    /**
     * Questions may be published again: there are as many different ones as the program reports.
     */
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

    @Test
    @DisplayName("DEP-03: that the READMEs have as examples do what these say, in TypeScript")
    void typescriptOfReadme(@TempDir Path folder) throws Exception {
        var examples = ReadmeExamples.typescript(fleet.bootstrap());
        // Inside the package, which can name itself.
        var target = Files.createDirectories(ClientProgram.typescript().resolve("target"));

        assertThat(examples).hasSize(2);
        var call = Files.writeString(target.resolve("readme.mjs"), examples.get(0));
        assertCalled(printed(ClientProgram::node, folder.resolve("call"), call));
        var question = Files.writeString(target.resolve("readme-question.mjs"), examples.get(1));
        assertAsked(printed(ClientProgram::node, folder.resolve("question"), question));
    }

    private static String printed(ClientProgram.Launcher launcher, Path output, Path example)
            throws Exception {
        try (var program = launcher.start(output, example.toString())) {
            return program.succeed();
        }
    }

    private static void assertCalled(String printed) {
        assertThat(printed).startsWith("success").contains("Echo: hi");
    }

    private static void assertAsked(String printed) {
        assertThat(printed)
                .startsWith("asked: Please provide inputs")
                .containsPattern("(?m)^success .*Name: Alice");
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("DEP-03: that the READMEs have as examples do what these say, in Python")
    void pythonOfReadme(@TempDir Path folder) throws Exception {
        var examples = ReadmeExamples.python(fleet.bootstrap());

        assertThat(examples).hasSize(2);
        var call = Files.writeString(folder.resolve("readme.py"), examples.get(0));
        assertCalled(printed(ClientProgram::python, folder.resolve("call"), call));
        var question = Files.writeString(folder.resolve("readme_question.py"), examples.get(1));
        assertAsked(printed(ClientProgram::python, folder.resolve("question"), question));
    }
}
