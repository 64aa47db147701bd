package dev.perigee.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.NumberRange;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("The published schemas say what the code does")
final class SchemaTest {

    private static final String CONFIG =
            """
            {"installation_name":"everything-acme-alice-abc123","installation_id":"abc123",
             "server_slug":"everything","team_id":"t1","team_slug":"acme","user_id":"u1",
             "user_slug":"alice","transport_type":"stdio","command":"npx",
             "args":["-y","@modelcontextprotocol/server-everything"],"env":{"API_KEY":"..."},
             "runtime":"node","settings":{"request_logging_enabled":true}}
            """;
    private static final String COMMAND =
            """
            {"id":"cmd-1","command_type":"configure","priority":"immediate","correlation_id":"c-1",
             "issued_at":"2026-11-20T10:00:00.000Z","expires_at":"2026-11-20T10:05:00.000Z",
             "payload":{"event":"mcp_installation_created","installation_id":"abc123",
               "team_id":"t1","user_id":"u1","config":%s}}
            """
                    .formatted(CONFIG);
    private static final String TOOL_REQUEST =
            """
            {"request_id":"r-1","team_id":"t1","user_id":"u1","method":"tools/call",
             "tool_path":"everything:echo","arguments":{"message":"hi"},"timeout_ms":30000}
            """;

    static Stream<Arguments> records() {
        return Stream.of(
                Arguments.of(Command.class, "command.json"),
                Arguments.of(ServerConfig.class, "config.json"),
                Arguments.of(CommandResult.class, "command-result.json"),
                Arguments.of(ToolRequest.class, "tool-request.json"),
                Arguments.of(ToolResult.class, "tool-result.json"),
                Arguments.of(EventOrigin.class, "event-origin.json"),
                Arguments.of(Heartbeat.class, "heartbeat.json"),
                Arguments.of(AuditRecord.class, "audit-action.json"));
    }

    /** The types whose records are events of an instance. */
    static Stream<EventType> events() {
        return Arrays.stream(EventType.values())
                .filter(type -> type != EventType.TOOL_RESULT && type != EventType.REMOVED);
    }

    static Stream<Arguments> inputs() {
        return Stream.of(
                Arguments.of(Command.class, "command.json", COMMAND),
                Arguments.of(ServerConfig.class, "config.json", CONFIG),
                Arguments.of(ToolRequest.class, "tool-request.json", TOOL_REQUEST));
    }

    @ParameterizedTest
    @MethodSource("records")
    void recordsHaveTheFieldsOfTheirSchema(Class<?> type, String file) {
        assertThat(SchemaComparison.of(type, SchemaNode.of(file), Set.of())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("events")
    void eventsHaveTheFieldsOfTheirSchema(EventType type) {
        var schema = SchemaNode.of(file(type));

        assertThat(SchemaComparison.of(EventBody.classOf(type), schema, Set.of("event"))).isEmpty();
        assertThat(schema.property("event").node().path("const").asString())
                .isEqualTo(type.wireName());
        assertThat(schema.node().at("/allOf/0/$ref").asString()).isEqualTo("event-origin.json");
    }

    @ParameterizedTest
    @MethodSource("records")
    void writtenRecordsAreValid(Class<?> type, String file) {
        var schema = SchemaNode.of(file);
        valid(file, json(Samples.full(type, schema)));
        // Which of their fields are needed depends on others.
        if (type != ToolResult.class && type != ServerConfig.class) {
            valid(file, json(Samples.least(type, schema)));
        }
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void failuresAreValidAndNeedAnError(ErrorCode code) {
        var request = Json.read(bytes(TOOL_REQUEST), ToolRequest.class);
        var error = ToolError.of(code, "what to do", ServerStatus.OFFLINE);
        var result = json(ToolResult.refused(request, "p", error, Instant.EPOCH));

        valid("tool-result.json", result);
        assertThat(SchemaFiles.errors("tool-result.json", without(result, "error"))).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("events")
    void writtenEventsAreValid(EventType type) {
        var origin = SchemaNode.of("event-origin.json");
        var schema = SchemaNode.of(file(type));
        var body = EventBody.classOf(type);
        valid(
                file(type),
                json(
                        Event.of(
                                Samples.full(EventOrigin.class, origin),
                                Samples.full(body, schema))));
        valid(
                file(type),
                json(
                        Event.of(
                                Samples.least(EventOrigin.class, origin),
                                Samples.least(body, schema))));
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void theContractsExamplesAreValid(Class<?> type, String file, String example) {
        valid(file, Json.tree(bytes(example)));
        assertThat(Json.read(bytes(example), type)).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void exactlyTheRequiredFieldsAreNeeded(Class<?> type, String file, String example) {
        var whole = Json.tree(bytes(example));
        var schema = SchemaNode.of(file);
        for (var name : whole.propertyNames()) {
            var less = without(whole, name);
            var errors = SchemaFiles.errors(file, less);
            if (errors.isEmpty()) {
                assertThatCode(() -> Json.convert(less, type)).as(name).doesNotThrowAnyException();
                assertThat(schema.required()).doesNotContain(name);
            } else {
                assertThatThrownBy(() -> Json.convert(less, type))
                        .as(name)
                        .isInstanceOf(InvalidRecordException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"request_id\":5,\"team_id\":\"t\",\"user_id\":\"u\",\"method\":\"cancel\"}",
                "{\"request_id\":\"r\",\"team_id\":\"t/1\",\"user_id\":\"u\",\"method\":\"cancel\"}",
                "{\"request_id\":\"r\",\"team_id\":\"*\",\"user_id\":\"u\",\"method\":\"cancel\"}",
                "{\"request_id\":\"r\",\"team_id\":\"t\",\"user_id\":\"u\",\"method\":\"cancel\","
                        + "\"timeout_ms\":0}",
                "{\"request_id\":\"r\",\"team_id\":\"t\",\"user_id\":\"u\",\"method\":\"cancel\","
                        + "\"timeout_ms\":1.5}",
                "[]",
            })
    void whatTheCodeRefusesIsInvalid(String document) {
        assertThatThrownBy(() -> Json.read(bytes(document), ToolRequest.class))
                .isInstanceOf(InvalidRecordException.class);
        assertThat(SchemaFiles.errors("tool-request.json", Json.tree(bytes(document))))
                .isNotEmpty();
    }

    @Test
    @DisplayName("the limits of timeouts are those of the code")
    void limitsOfTimeouts() {
        var config = SchemaNode.of("config.json");
        for (var field :
                List.of(
                        config.property("timeout_ms"),
                        config.property("handshake_timeout_ms"),
                        SchemaNode.of("tool-request.json").property("timeout_ms"))) {
            assertThat(field.node().path("minimum").asLong())
                    .isEqualTo(NumberRange.TIMEOUT_MS.least());
            assertThat(field.node().path("maximum").asLong())
                    .isEqualTo(NumberRange.TIMEOUT_MS.most());
        }
    }

    @Test
    @DisplayName("a kept configuration with a longer timeout is still read")
    void readsWhatAFormerVersionAccepted() {
        var longest = CONFIG.replace("{\"inst", "{\"timeout_ms\":1000000000000000000,\"inst");

        var config = Json.read(bytes(longest), ServerConfig.class);

        assertThat(config.requestTimeout()).isEqualTo(Duration.ofDays(1));
        assertThatThrownBy(config::requireLimits)
                .isInstanceOf(InvalidRecordException.class)
                .hasMessage("field config.timeout_ms must be an integer from 1 to 86400000");
    }

    @Test
    @DisplayName("STA-01: the status strings, and the other lists of values, are those of the code")
    void listsOfValues() {
        assertThat(SchemaNode.of("status.json").enumeration())
                .containsExactlyInAnyOrder(
                        Arrays.stream(ServerStatus.values())
                                .map(ServerStatus::wireName)
                                .toArray(String[]::new));
        assertThat(SchemaNode.of("tool-request.json").property("method").enumeration())
                .containsExactlyInAnyOrder(
                        Arrays.stream(ToolMethod.values())
                                .map(ToolMethod::wireName)
                                .toArray(String[]::new));
        assertThat(SchemaNode.of("command.json").property("command_type").enumeration())
                .containsExactlyInAnyOrder(
                        CommandType.CONFIGURE,
                        CommandType.SPAWN,
                        CommandType.KILL,
                        CommandType.RESTART,
                        CommandType.HEALTH_CHECK);
    }

    private static String file(EventType type) {
        var name = type.wireName();
        boolean named = name.startsWith("mcp.server.");
        return (named
                                ? name.substring("mcp.server.".length())
                                : name.replaceFirst("^(mcp|perigee)\\.", ""))
                        .replace('.', '-')
                        .replace('_', '-')
                + ".json";
    }

    private static void valid(String file, JsonNode document) {
        assertThat(SchemaFiles.errors(file, document))
                .as("%s against %s", document, file)
                .isEmpty();
    }

    private static JsonNode json(Object value) {
        return Json.tree(Json.write(value));
    }

    private static JsonNode without(JsonNode document, String field) {
        return ((ObjectNode) document.deepCopy()).without(field);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
