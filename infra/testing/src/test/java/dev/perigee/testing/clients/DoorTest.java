package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.DoorServer;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import dev.perigee.testing.conformance.OpenDoor;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Two users of one team: the first has server-everything and fixtures A and F, the other F under
 * another slug.
 */
@DisplayName("CAL-20: the door serves clients of both generations of the official SDK")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DoorTest {
    private static final Path PROGRAM =
            Checkout.root().resolve("infra/testing/fixtures/clients/door.mjs");
    private static final String INITIALIZE =
            """
            {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
             "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}""";
    private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}";

    private final HttpClient http = HttpClient.newHttpClient();
    private FleetUnderTest fleet;
    private DoorServer door;
    private Installation first;
    private Installation other;
    private Installation third;
    private Path tokens;

    @BeforeAll
    void start(@TempDir Path work) throws IOException {
        fleet = FleetUnderTest.named("door").worker("mcp.announce-input", "true").start();
        first = Installation.fixture();
        other = first.as("private", first.installationId() + "-p").ofUser(first.userId() + "-b");
        var all =
                List.of(
                        first,
                        first.as("everything", first.installationId() + "-e")
                                .withArgs(Installation.npm("everything").args()),
                        first.as("asking", first.installationId() + "-a")
                                .withArgs(List.of(Fixtures.askingScript().toString(), modules())),
                        other);
        fleet.backend().install(all);
        for (var each : all) {
            fleet.records()
                    .await(
                            Topic.TOOLS,
                            each.serverSlug(),
                            record -> record.text("process_id").equals(each.processId()));
        }
        third = first.ofUser(first.userId() + "-c");
        tokens = work.resolve("tokens");
        door = OpenDoor.of(fleet, tokens, List.of(first, other, third));
    }

    @AfterAll
    void end() {
        door.close();
        fleet.close();
        http.close();
    }

    private static String modules() {
        return NpmServers.installed().modules().toString();
    }

    private String url() {
        return "http://" + door.address() + "/mcp";
    }

    private JsonNode run(Path folder, String scenario) throws Exception {
        try (var program =
                ClientProgram.node(
                        folder.resolve("out"),
                        PROGRAM.toString(),
                        modules(),
                        url(),
                        OpenDoor.token(first),
                        scenario)) {
            var printed = program.succeed().lines().toList();
            return Json.tree(printed.getLast().getBytes(StandardCharsets.UTF_8));
        }
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(node -> node.asString("")).toList();
    }

    private void serves(JsonNode report) {
        assertThat(report.path("server").asString("")).isEqualTo("perigee");
        assertThat(texts(report.path("tools")))
                .contains("everything__echo", "asking__ask", "f-server__sleep")
                .noneMatch(name -> name.startsWith("private"));
        assertThat(report.path("echoed").asString("")).isEqualTo("Echo: hi");
        assertThat(report.path("progress").valueStream().map(JsonNode::asDouble))
                .isNotEmpty()
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(report.at("/room/content/room").asString("")).isEqualTo("blue");
        assertThat(texts(report.path("asked"))).containsExactly("[asking] Which room?");
        assertThat(report.at("/said/content/text").asString("")).isEqualTo("red");
        assertThat(report.at("/failed/code").asInt(0)).isEqualTo(-32042);
        assertThat(report.at("/failed/data/url").asString("")).isEqualTo("https://a");
        fleet.records()
                .await(
                        Topic.TOOL_RESULTS,
                        "cancelled",
                        result ->
                                result.text("process_id").equals(first.processId())
                                        && result.text("error/code").equals("cancelled"));
    }

    @Test
    @DisplayName("in a session")
    void before(@TempDir Path folder) throws Exception {
        serves(run(folder, "before"));
    }

    @Test
    @DisplayName("and without one")
    void now(@TempDir Path folder) throws Exception {
        serves(run(folder, "now"));
    }

    private HttpRequest.Builder asking(String token) {
        var request =
                HttpRequest.newBuilder(URI.create(url()))
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json, text/event-stream");
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }

    private HttpResponse<String> post(HttpRequest.Builder request, String body)
            throws IOException, InterruptedException {
        return http.send(
                request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                BodyHandlers.ofString());
    }

    private String session(Installation user) throws IOException, InterruptedException {
        var begun = post(asking(OpenDoor.token(user)), INITIALIZE);
        assertThat(begun.statusCode()).as(begun::body).isEqualTo(200);
        return begun.headers().firstValue("Mcp-Session-Id").orElseThrow();
    }

    private HttpResponse<String> list(Installation user, String session)
            throws IOException, InterruptedException {
        return post(asking(OpenDoor.token(user)).header("Mcp-Session-Id", session), LIST);
    }

    @Test
    @DisplayName("each of which sees its own tools only, and no session of another user's")
    void keepsApart() throws Exception {
        var mine = session(first);
        var others = session(other);

        assertThat(list(first, mine).body()).contains("f-server__").doesNotContain("private__");
        assertThat(list(other, others).body()).contains("private__").doesNotContain("f-server__");
        assertThat(list(other, mine).statusCode()).isEqualTo(404);
        assertThat(list(first, "guessed").statusCode()).isEqualTo(404);
        var ended =
                http.send(
                        asking(OpenDoor.token(other))
                                .header("Mcp-Session-Id", mine)
                                .DELETE()
                                .build(),
                        BodyHandlers.ofString());
        assertThat(ended.statusCode()).isEqualTo(404);
        assertThat(list(first, mine).statusCode()).isEqualTo(200);
    }

    @Test
    @DisplayName("whose streams end when the calls are cancelled")
    void cancels() throws Exception {
        var session = session(first);
        var call =
                http.sendAsync(
                                asking(OpenDoor.token(first))
                                        .header("Mcp-Session-Id", session)
                                        .POST(
                                                HttpRequest.BodyPublishers.ofString(
                                                        """
                                                        {"jsonrpc":"2.0","id":7,"method":"tools/call","params":
                                                         {"name":"f-server__sleep","arguments":{"ms":110000}}}"""))
                                        .build(),
                                BodyHandlers.ofInputStream())
                        .get(60, TimeUnit.SECONDS);

        var cancel =
                post(
                        asking(OpenDoor.token(first)).header("Mcp-Session-Id", session),
                        """
                        {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}""");

        assertThat(cancel.statusCode()).isEqualTo(202);
        var rest = CompletableFuture.supplyAsync(() -> text(call.body()));
        assertThat(rest.get(60, TimeUnit.SECONDS)).doesNotContain("data:");
    }

    @Test
    @DisplayName("until a token is taken back, which ends its streams, too")
    void ends() throws Exception {
        var session = session(third);
        var stream =
                http.sendAsync(
                                asking(OpenDoor.token(third))
                                        .header("Mcp-Session-Id", session)
                                        .GET()
                                        .build(),
                                BodyHandlers.ofInputStream())
                        .get(60, TimeUnit.SECONDS);
        assertThat(stream.statusCode()).isEqualTo(200);

        OpenDoor.write(tokens, List.of(first, other));

        CompletableFuture.supplyAsync(() -> length(stream.body())).get(60, TimeUnit.SECONDS);
        assertThat(list(third, session).statusCode()).isEqualTo(401);
        assertThat(list(first, session(first)).statusCode()).isEqualTo(200);
    }

    private static String text(InputStream body) {
        try (body) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long length(InputStream body) {
        try (body) {
            return body.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Timeout(60)
    @DisplayName("and ends when its Kafka client has failed, to be started anew")
    void endsWithItsClient(@TempDir Path folder) throws Exception {
        var notes = new ConcurrentLinkedQueue<String>();
        var others = clientThreads().toList();
        try (var second =
                OpenDoor.of(fleet, folder.resolve("tokens"), List.of(first), notes::add)) {
            var its = clientThreads().filter(each -> !others.contains(each)).toList();
            assertThat(its).hasSize(1);
            assertThat(notes).isEmpty();

            its.getFirst().interrupt(); // Its consumer throws InterruptException.

            second.awaitEnd();
            assertThat(notes)
                    .singleElement()
                    .asString()
                    .contains("answers cannot be read any more");
        }
        assertThat(list(first, session(first)).statusCode()).isEqualTo(200);
    }

    private static Stream<Thread> clientThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("perigee-client"));
    }

    @Test
    @DisplayName("and refuses who has no token, pages of elsewhere, and what is no message")
    void refuses() throws Exception {
        var token = OpenDoor.token(first);
        var without = post(asking(""), INITIALIZE);

        assertThat(without.statusCode()).isEqualTo(401);
        assertThat(without.headers().firstValue("WWW-Authenticate")).contains("Bearer");
        assertThat(post(asking("wrong"), "no JSON").statusCode()).isEqualTo(401);
        assertThat(
                        post(asking(token).header("Origin", "http://evil.example"), INITIALIZE)
                                .statusCode())
                .isEqualTo(403);
        assertThat(post(asking(token), "no JSON").statusCode()).isEqualTo(400);
        assertThat(
                        post(asking(token).header("MCP-Protocol-Version", "1999-01-01"), INITIALIZE)
                                .statusCode())
                .isEqualTo(400);
        assertThat(post(asking(token), LIST).statusCode()).isEqualTo(400);
        assertThat(post(asking(token), " ".repeat((8 << 20) + 1)).statusCode()).isEqualTo(413);
    }
}
