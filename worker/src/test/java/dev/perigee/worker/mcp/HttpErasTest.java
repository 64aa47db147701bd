package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.LocalEgress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@DisplayName("CAL-13: servers of both eras over HTTP")
final class HttpErasTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpConnections connections =
            HttpConnections.open(
                    new HttpOptions(PATIENCE, PATIENCE, LocalEgress.POLICY),
                    new LineRoom(ByteBudget.of(64 << 20)));

    @AfterEach
    void close() {
        connections.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--json"})
    @DisplayName("a modern one is discovered once, and each request says what it is about")
    void modern(String flag) throws Exception {
        try (var server = HttpFixture.start("--modern", flag);
                var client = server.client(connections)) {
            var info = client.initialize(PATIENCE);
            assertThat(info.protocolVersion()).isEqualTo("2026-07-28");
            assertThat(info.version()).isEqualTo("2.0.0");
            assertThat(call(client, "echo", "{\"message\":\"hi\"}")).contains("\"hi\"");
            assertThat(client.request("tools/list", RawJson.EMPTY_OBJECT, PATIENCE).text())
                    .contains("\"echo\"");

            assertThat(server.count("initialize")).isEqualTo(1);
            // Twice where the connection of the refusal was closed as it was used again.
            assertThat(server.count("server/discover")).isBetween(1, 2);
            assertThat(server.count("notifications/initialized")).isZero();
            var last = headersOfCall(server);
            assertThat(last.path("mcp-name").asString("")).isEqualTo("echo");
            assertThat(last.path("mcp-protocol-version").asString("")).isEqualTo("2026-07-28");
        }
    }

    @Test
    @DisplayName("a modern one has the arguments as headers that its tool names")
    void mirrors() throws Exception {
        try (var server = HttpFixture.start("--modern");
                var client = server.client(connections)) {
            assertThat(mirroring(client)).contains("\"hi\"");
            assertThat(client.mirrorsArguments()).isTrue();

            var last = headersOfCall(server);
            assertThat(last.path("mcp-param-text").asString("")).isEqualTo("hi");
        }
    }

    private static JsonNode headersOfCall(HttpFixture server) throws Exception {
        return headersOf(server, "tools/call");
    }

    private static JsonNode headersOf(HttpFixture server, String method) throws Exception {
        for (var each : server.seen().path("headers")) {
            if (each.path("mcp-method").asString("").equals(method)) {
                return each;
            }
        }
        throw new AssertionError("no " + method + " was seen");
    }

    private static String mirroring(HttpMcpClient client) throws Exception {
        var schema =
                "{\"properties\":{\"message\":{\"type\":\"string\",\"x-mcp-header\":\"Text\"}}}";
        var params = "{\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}}";
        return client.send(
                        "tools/call",
                        RawJson.of(params),
                        ArgumentHeaders.in(RawJson.of(schema)),
                        CallRound.ONLY,
                        PATIENCE)
                .awaitAndTake(PATIENCE)
                .text();
    }

    @Test
    @DisplayName("one that answers initialize with a modern revision is spoken with as that has it")
    void agrees() throws Exception {
        try (var server = HttpFixture.start("--modern", "--agrees");
                var client = server.client(connections)) {
            assertThat(client.initialize(PATIENCE).protocolVersion()).isEqualTo("2026-07-28");
            assertThat(call(client, "echo", "{\"message\":\"hi\"}")).contains("\"hi\"");

            assertThat(server.count("server/discover")).isEqualTo(1);
            assertThat(server.count("notifications/initialized")).isZero();
        }
    }

    @Test
    @DisplayName("what HTTP does not take as a header is encoded")
    void encodes() throws Exception {
        try (var server = HttpFixture.start("--modern");
                var client = server.client(connections)) {
            server.order("{'tools':['ünï']}");
            var why = failure(client, "ünï");
            assertThat(why.getMessage()).startsWith("Unknown tool"); // Not: header mismatch.
        }
    }

    @Test
    @DisplayName("an error of a modern one is an answer")
    void answersErrors() throws Exception {
        try (var server = HttpFixture.start("--modern");
                var client = server.client(connections)) {
            client.initialize(PATIENCE);
            for (var unknown : List.of("ping", "resources/templates/list", "completion/complete")) {
                var params = RawJson.of("{\"ref\":{\"name\":\"p\"},\"name\":\"x\"}");
                var why =
                        catchThrowableOfType(
                                McpException.class,
                                () -> client.request(unknown, params, PATIENCE));
                assertThat(Objects.requireNonNull(why).kind())
                        .isEqualTo(McpException.Kind.SERVER_ERROR);
                assertThat(headersOf(server, unknown).has("mcp-name")).isFalse();
            }
        }
    }

    @Test
    @DisplayName("a legacy one sees no request more")
    void legacy() throws Exception {
        try (var server = HttpFixture.start();
                var client = server.client(connections)) {
            assertThat(client.initialize(PATIENCE).protocolVersion()).isEqualTo("2025-11-25");
            assertThat(mirroring(client)).contains("\"hi\"");
            assertThat(server.count("server/discover")).isZero();
            var last = headersOfCall(server);
            assertThat(last.path("mcp-protocol-version").asString("")).isEqualTo("2025-11-25");
            assertThat(last.path("mcp-method").asString("")).isEqualTo("tools/call");
            assertThat(last.path("mcp-name").asString("")).isEqualTo("echo");
            assertThat(server.seen().at("/headers/1/mcp-method").asString(""))
                    .isEqualTo("notifications/initialized");
            assertThat(last.has("mcp-param-text")).isFalse();
        }
    }

    @Test
    @DisplayName("the failure of a server that speaks neither is that of initialize")
    void neither() throws Exception {
        try (var server = HttpFixture.start();
                var client = server.client(connections)) {
            server.order("{'mode':'status','status':400,'text':'not here'}");
            var why = catchThrowableOfType(McpException.class, () -> client.initialize(PATIENCE));
            assertThat(Objects.requireNonNull(why).getMessage()).isEqualTo("HTTP 400: not here");
            assertThat(server.count("initialize")).isEqualTo(1);
            assertThat(server.count("server/discover")).isBetween(1, 2);
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "us-west1, us-west1",
                "`Hello, 世界`, =?base64?SGVsbG8sIOS4lueVjA==?=",
                "` padded `, =?base64?IHBhZGRlZCA=?=",
                "=?base64?literal?=, =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
            })
    void encodesAsTheSpecificationSays(String value, String encoded) {
        assertThat(HeaderText.of(value)).isEqualTo(encoded);
    }

    private static String call(McpClient client, String tool, String arguments) throws Exception {
        var params = "{\"name\":\"%s\",\"arguments\":%s}".formatted(tool, arguments);
        return client.request("tools/call", RawJson.of(params), PATIENCE).text();
    }

    private static McpException failure(McpClient client, String tool) {
        return Objects.requireNonNull(
                catchThrowableOfType(McpException.class, () -> call(client, tool, "{}")));
    }
}
