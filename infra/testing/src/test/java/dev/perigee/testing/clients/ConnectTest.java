package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.PartJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** One user has server-everything and fixtures A and F; clients start the command as they do. */
@DisplayName("CAL-19: perigee connect serves a client of the official SDK")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ConnectTest {
    private static final Path PROGRAM =
            Checkout.root().resolve("infra/testing/fixtures/clients/mcp.mjs");

    private FleetUnderTest fleet;
    private @Nullable Installation quiet;

    @BeforeAll
    void start() throws IOException {
        fleet = FleetUnderTest.named("connect").worker("mcp.announce-input", "true").start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    /** The user's servers; the first is fixture F. */
    private Installation install() {
        var fixture = Installation.fixture();
        var modules = NpmServers.installed().modules().toString();
        fleet.backend()
                .install(
                        List.of(
                                fixture,
                                fixture.as("everything", fixture.installationId() + "-e")
                                        .withArgs(Installation.npm("everything").args()),
                                fixture.as("asking", fixture.installationId() + "-a")
                                        .withArgs(
                                                List.of(
                                                        Fixtures.askingScript().toString(),
                                                        modules))));
        return fixture;
    }

    /** Of a user whose servers no test changes. */
    private Installation quiet() {
        if (quiet == null) {
            quiet = install();
        }
        return quiet;
    }

    /** The command line that a client starts. */
    private List<String> command(Installation user, String... more) throws IOException {
        var arguments =
                new ArrayList<>(
                        List.of(
                                "connect",
                                "--bootstrap",
                                fleet.bootstrap(),
                                "--team",
                                user.teamId(),
                                "--user",
                                user.userId()));
        arguments.addAll(List.of(more));
        return PartJvm.command(arguments);
    }

    private JsonNode run(Installation user, Path folder, String scenario, String... more)
            throws Exception {
        try (var program =
                ClientProgram.node(
                        folder.resolve("out"),
                        PROGRAM.toString(),
                        NpmServers.installed().modules().toString(),
                        Json.raw(command(user, more)).text(),
                        scenario)) {
            var printed = program.succeed().lines().toList();
            var report = Json.tree(printed.getLast().getBytes(StandardCharsets.UTF_8));
            assertThat(report.path("errors").size()).as(report::toString).isZero();
            return report;
        }
    }

    private void awaitCancelled(Installation server) {
        fleet.records()
                .await(
                        Topic.TOOL_RESULTS,
                        "cancelled",
                        result ->
                                result.text("process_id").equals(server.processId())
                                        && result.text("error/code").equals("cancelled"));
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(node -> node.asString("")).toList();
    }

    @Test
    @DisplayName("with lists, calls, errors, progress, questions, cancellation and changes")
    void talks(@TempDir Path folder) throws Exception {
        var user = install();
        var report = run(user, folder, "talks");

        assertThat(report.path("server").asString("")).isEqualTo("perigee");
        assertThat(texts(report.path("tools")))
                .contains("everything__echo", "asking__ask", "f-server__sleep")
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[A-Za-z0-9_-]{1,64}"));
        assertThat(report.path("schema").asString("")).isEqualTo("object");
        assertThat(report.path("echoed").asString("")).isEqualTo("Echo: hi");
        assertThat(texts(report.path("structured"))).contains("temperature");
        assertThat(report.at("/refused/isError").asBoolean(false)).isTrue();
        assertThat(report.at("/refused/text").asString("")).isEqualTo("no");
        assertThat(report.at("/failed/code").asInt(0)).isEqualTo(-32042);
        assertThat(report.at("/failed/data/url").asString("")).isEqualTo("https://a");
        assertThat(report.path("progress").valueStream().map(JsonNode::asDouble))
                .isNotEmpty()
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(report.at("/room/content/room").asString("")).isEqualTo("blue");
        assertThat(texts(report.path("asked"))).containsExactly("[asking] Which room?");
        assertThat(report.at("/words/content/text").asString("")).isEqualTo("red");
        assertThat(report.path("ended").asString("")).contains("no longer");
        assertThat(report.path("title").asString("")).isEqualTo("The new one");
        assertThat(texts(report.path("now")))
                .contains("f-server__new", "everything__echo")
                .doesNotContain("f-server__sleep");
        awaitCancelled(user);
    }

    @Test
    @DisplayName("that announces nothing, and is asked nothing")
    void silent(@TempDir Path folder) throws Exception {
        var report = run(quiet(), folder, "silent");

        assertThat(report.at("/told/error").asInt(0)).isEqualTo(-32601);
    }

    @Test
    @DisplayName("until it leaves, which cancels its call; with one installation by its own names")
    void leaves(@TempDir Path folder) throws Exception {
        var user = quiet();

        var report = run(user, folder, "leaves", "--installation", user.installationId());

        assertThat(texts(report.path("tools"))).contains("sleep", "record").doesNotContain("ask");
        awaitCancelled(user);
    }

    @Test
    @DisplayName("and the command line of the MCP inspector")
    void inspects(@TempDir Path folder) throws Exception {
        var user = quiet();

        try (var list = inspector(user, folder.resolve("list"), "--method", "tools/list");
                var call =
                        inspector(
                                user,
                                folder.resolve("call"),
                                "--method",
                                "tools/call",
                                "--tool-name",
                                "everything__echo",
                                "--tool-arg",
                                "message=hi")) {
            assertThat(
                            printed(list)
                                    .path("tools")
                                    .valueStream()
                                    .map(tool -> tool.path("name").asString("")))
                    .contains("everything__echo", "asking__ask", "f-server__sleep");
            assertThat(printed(call).at("/content/0/text").asString("")).isEqualTo("Echo: hi");
        }
    }

    private ClientProgram inspector(Installation user, Path output, String... options)
            throws IOException {
        var inspector =
                NpmServers.installed()
                        .modules()
                        .resolve("@modelcontextprotocol/inspector-cli/build/index.js");
        // It finds its own package.json from the working directory.
        var arguments =
                new ArrayList<>(
                        List.of(
                                "-e",
                                "process.chdir(require('path').dirname(process.argv[1]));"
                                        + "import(process.argv[1]);",
                                inspector.toString()));
        arguments.addAll(command(user));
        arguments.addAll(List.of(options));
        return ClientProgram.node(output, arguments.toArray(String[]::new));
    }

    private static JsonNode printed(ClientProgram inspector) throws InterruptedException {
        var printed = inspector.succeed();
        var json = printed.substring(printed.indexOf('{'));
        return Json.tree(json.getBytes(StandardCharsets.UTF_8));
    }
}
