package dev.perigee.local.cli;

import static dev.perigee.local.cli.ScriptedRecords.answer;
import static dev.perigee.local.cli.ScriptedRecords.event;
import static dev.perigee.local.cli.ScriptedRecords.failed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.local.connect.ConnectOptions;
import dev.perigee.local.connect.McpConnection;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.event.EventBody.ToolsUpdated;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.Topic;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@DisplayName("CAL-19: an MCP client is served by topics")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ConnectedClientTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RawJson SCHEMA = RawJson.of("{\"type\":\"object\"}");

    private final List<ToolRequest> requests = new CopyOnWriteArrayList<>();
    private final List<String> notes = new CopyOnWriteArrayList<>();
    private volatile String enabled = "[]";
    private ScriptedGateway gateway;
    private KafkaConnection kafka;
    private Client client;

    /** An MCP client with streams of its own, and the connection that serves it. */
    private final class Client {
        private final PipedOutputStream toServer = new PipedOutputStream();
        private final List<JsonNode> received = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

        Client() throws IOException {
            var in = new PipedInputStream(toServer, 1 << 20);
            var out = new PipedOutputStream();
            var fromServer = new PipedInputStream(out, 1 << 20);
            var options = new ConnectOptions("t1", "u1", null, Duration.ofSeconds(30), "1");
            var connection = new McpConnection(kafka, options, notes::add);
            Thread.ofPlatform()
                    .daemon()
                    .start(
                            () -> {
                                try (out) {
                                    connection.serve(in, out);
                                    ended.complete(true);
                                } catch (InterruptedException | IOException | RuntimeException e) {
                                    ended.completeExceptionally(e);
                                }
                            });
            Thread.ofPlatform().daemon().start(() -> read(fromServer));
        }

        private void read(PipedInputStream stream) {
            try (var lines =
                    new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                    received.add(Json.tree(line.getBytes(StandardCharsets.UTF_8)));
                }
            } catch (IOException e) {
                notes.add("The output ended: " + e.getMessage());
            }
        }

        void send(String message) throws IOException {
            toServer.write((message + "\n").getBytes(StandardCharsets.UTF_8));
            toServer.flush();
        }

        void request(String id, String method, String params) throws IOException {
            send(
                    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":%s}"
                            .formatted(id, method, params));
        }

        void call(String id, String tool) throws IOException {
            request(id, "tools/call", "{\"name\":\"everything__" + tool + "\"}");
        }

        JsonNode message(Predicate<JsonNode> wanted) {
            return Awaitility.await()
                    .atMost(LONG)
                    .until(
                            () -> received.stream().filter(wanted).toList(),
                            found -> !found.isEmpty())
                    .getFirst();
        }

        JsonNode answer(String id) {
            return message(
                    message -> message.path("id").toString().equals(id) && !message.has("method"));
        }

        void end() throws IOException {
            toServer.close();
            assertThat(ended).succeedsWithin(LONG);
        }
    }

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        gateway = ScriptedGateway.withBroker(data, (_, value) -> script(value));
        kafka = gateway.connection();
    }

    @BeforeEach
    void connect() throws Exception {
        tools("echo", "wait", "ask");
        client = new Client();
        client.request(
                "0",
                "initialize",
                "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":{}}}");
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    }

    @AfterEach
    void disconnect() throws Exception {
        client.end();
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    /** The server has these tools, all enabled. */
    private void tools(String... names) {
        var tools =
                Stream.of(names)
                        .map(
                                name ->
                                        new DiscoveredTool(
                                                "everything:" + name, name, null, SCHEMA, 1, null))
                        .toList();
        enable(names);
        gateway.publish(
                event(
                        Topic.TOOLS,
                        "p",
                        "t1",
                        new ToolsDiscovered(tools.size(), 1, tools, ScriptedRecords.TIME)));
        var entries =
                Stream.of(names)
                        .map(
                                name ->
                                        RawJson.of(
                                                "{\"name\":\"%s\",\"title\":\"The %s\",\"inputSchema\":{\"type\":\"object\"}}"
                                                        .formatted(name, name)))
                        .toList();
        gateway.publish(
                event(
                        Topic.CATALOG,
                        "p",
                        "t1",
                        new Catalog(
                                null,
                                RawJson.EMPTY_OBJECT,
                                null,
                                null,
                                entries,
                                List.of(),
                                List.of(),
                                List.of(),
                                List.of(),
                                ScriptedRecords.TIME)));
        gateway.flush();
    }

    private void enable(String... names) {
        enabled =
                Json.raw(
                                Stream.of(names)
                                        .map(
                                                name ->
                                                        Map.of(
                                                                "tool_name",
                                                                name,
                                                                "installation_id",
                                                                "abc123"))
                                        .toList())
                        .text();
    }

    private List<Answer> script(byte[] value) {
        var request = Json.read(value, ToolRequest.class);
        requests.add(request);
        return switch (Objects.requireNonNull(ToolMethod.of(request.method()))) {
            case TOOLS_LIST -> answer(request, ToolOutcome.SUCCESS, "{\"tools\":" + enabled + "}");
            case CANCEL -> failed(request, ErrorCode.CANCELLED, "cancelled");
            case CALL_RESPOND ->
                    Stream.concat(
                                    answer(request, ToolOutcome.SUCCESS, "{}").stream(),
                                    answer(asker(request), ToolOutcome.SUCCESS, "{\"n\":1}")
                                            .stream())
                            .toList();
            case TOOLS_CALL ->
                    switch (String.valueOf(request.toolPath())) {
                        case "everything:echo" ->
                                answer(request, ToolOutcome.SUCCESS, "{\"content\":\n[]}");
                        case "everything:ask" -> List.of(question(request));
                        default -> List.of();
                    };
            default -> List.of();
        };
    }

    private static ToolRequest asker(ToolRequest response) {
        return ToolRequest.call(
                Objects.requireNonNull(response.inReplyTo()),
                "t1",
                "u1",
                "everything:ask",
                RawJson.EMPTY_OBJECT,
                null);
    }

    private static Answer question(ToolRequest request) {
        var body =
                new CallInputRequired(
                        request.requestId(),
                        request.toolPath(),
                        "i1",
                        RawJson.of(
                                "{\"q\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"ok?\"}}}"),
                        ScriptedRecords.TIME);
        return new Answer(
                Topic.CALL_EVENTS,
                request.requestId(),
                event(Topic.CALL_EVENTS, "p", "t1", body).value());
    }

    private List<ToolRequest> requestsOf(ToolMethod method) {
        return requests.stream().filter(each -> each.method().equals(method.wireName())).toList();
    }

    private List<String> names(String id) throws IOException {
        client.request(id, "tools/list", "{}");
        return client.answer(id)
                .at("/result/tools")
                .valueStream()
                .map(tool -> tool.path("name").asString(""))
                .toList();
    }

    @Test
    @DisplayName("with the tools that there are, and told when these are others")
    void lists() throws Exception {
        assertThat(names("1"))
                .containsExactly("everything__ask", "everything__echo", "everything__wait");
        assertThat(client.answer("1").at("/result/tools/0/title").asString(""))
                .isEqualTo("The ask");

        enable("echo", "wait");
        gateway.publish(
                event(Topic.LIFECYCLE, "p", "t1", new ToolsUpdated(List.of(), List.of("ask"), 2)));

        client.message(
                message ->
                        message.path("method")
                                .asString("")
                                .equals("notifications/tools/list_changed"));
        assertThat(names("2")).containsExactly("everything__echo", "everything__wait");
    }

    @Test
    @DisplayName("with a call that it makes before it lists, on one line")
    void calls() throws Exception {
        client.call("1", "echo");

        assertThat(client.answer("1").at("/result/content").isArray()).isTrue();
    }

    @Test
    @DisplayName("with questions, whose answers go to the fleet")
    void asks() throws Exception {
        client.call("1", "ask");

        var asked =
                client.message(
                        message ->
                                message.path("method").asString("").equals("elicitation/create"));
        client.send(
                "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"action\":\"decline\"}}"
                        .formatted(asked.path("id")));

        assertThat(client.answer("1").at("/result/n").asInt(0)).isEqualTo(1);
        assertThat(requestsOf(ToolMethod.CALL_RESPOND).getLast().responses())
                .isEqualTo(RawJson.of("{\"q\":{\"action\":\"decline\"}}"));
    }

    @Test
    @DisplayName("and its cancellation follows its call")
    void cancels() throws Exception {
        requests.clear();
        client.call("1", "wait");
        var call = awaitCall();

        client.send(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");

        awaitCancellation(call.requestId());
        client.request("3", "ping", "{}");
        client.answer("3");
        assertThat(client.received).noneMatch(message -> message.path("id").toString().equals("1"));
    }

    private ToolRequest awaitCall() {
        Awaitility.await().atMost(LONG).until(() -> !requestsOf(ToolMethod.TOOLS_CALL).isEmpty());
        return requestsOf(ToolMethod.TOOLS_CALL).getFirst();
    }

    private boolean isOpen(String requestId) {
        return requestsOf(ToolMethod.CANCEL).stream()
                .noneMatch(each -> each.requestId().equals(requestId));
    }

    private void awaitCancellation(String requestId) {
        Awaitility.await().atMost(LONG).until(() -> !isOpen(requestId));
    }

    @Test
    @DisplayName("until its input ends: then its calls are cancelled, and its lists still answered")
    void ends() throws Exception {
        requests.clear();
        assertThat(names("1")).isNotEmpty();
        client.call("2", "wait");
        var call = awaitCall();

        client.end();

        awaitCancellation(call.requestId());
    }

    @Test
    @DisplayName("and a list that came with the end is answered")
    void answersLists() throws Exception {
        client.request("1", "tools/list", "{}");

        client.end();

        assertThat(client.ended.get(1, TimeUnit.SECONDS)).isTrue();
        assertThat(client.answer("1").at("/result/tools").size()).isEqualTo(3);
    }
}
