package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Records;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Two gateways and a worker in processes of their own, behind links that can be cut. */
@DisplayName("DEP-03: programs on the clients for TypeScript and Python")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClientsTest {
    private static final int CALLS = 60;
    private static final Path PROGRAMS = Checkout.root().resolve("infra/testing/fixtures/clients");

    private FleetUnderTest fleet;

    /** Ends a part or a link for a while. */
    private interface Outage {
        void happen() throws Exception;
    }

    @BeforeAll
    void start() throws IOException {
        fleet = FleetUnderTest.named("clients").gateways(2).faultyLinks().start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName("get one answer to each call while the link is cut, in TypeScript")
    void typescriptAcrossACut(@TempDir Path folder) throws Exception {
        survives(ClientProgram::node, "calls.mjs", folder, this::cut);
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("get one answer to each call while the link is cut, in Python")
    void pythonAcrossACut(@TempDir Path folder) throws Exception {
        survives(ClientProgram::python, "calls.py", folder, this::cut);
    }

    @Test
    @DisplayName("get them on a topic of their own when a gateway is killed, in TypeScript")
    void typescriptAcrossAGatewaysEnd(@TempDir Path folder) throws Exception {
        survives(ClientProgram::node, "calls.mjs", folder, this::kill, replies());
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("get them on a topic of their own when a gateway is killed, in Python")
    void pythonAcrossAGatewaysEnd(@TempDir Path folder) throws Exception {
        survives(ClientProgram::python, "calls.py", folder, this::kill, replies());
    }

    private static String replies() {
        return "mcp." + Records.REPLIES;
    }

    private void cut() throws InterruptedException {
        fleet.link(1).partitionFor(Duration.ofSeconds(2));
    }

    private void kill() {
        for (int gateway = 1; gateway <= 2; gateway++) {
            fleet.part("gateway-" + gateway).kill();
            fleet.startGateway(gateway).awaitReady();
        }
    }

    private void survives(
            ClientProgram.Launcher launcher,
            String program,
            Path folder,
            Outage outage,
            String... more)
            throws Exception {
        var server = Installation.fixture();
        var file = folder.resolve("count");
        var arguments =
                new ArrayList<>(
                        List.of(
                                PROGRAMS.resolve(program).toString(),
                                fleet.bootstrap(),
                                server.config().toString(),
                                file.toString(),
                                String.valueOf(CALLS)));
        arguments.addAll(List.of(more));
        JsonNode report;
        try (var running =
                launcher.start(folder.resolve("out"), arguments.toArray(String[]::new))) {
            running.awaitLine("halfway");
            outage.happen();
            var printed = running.succeed().lines().toList();
            report = Json.tree(printed.getLast().getBytes(StandardCharsets.UTF_8));
        }
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
