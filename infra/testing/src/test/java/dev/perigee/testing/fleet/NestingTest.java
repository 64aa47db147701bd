package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What is nested deeply is passed on or answered with an error, and harms nobody")
@ExtendWith(SharedFleet.class)
final class NestingTest {

    /** Perigee puts a few objects around what it passes on. */
    private static final int A_FEW = 6;

    private final Backend backend;
    private final Records records;
    private final Installation f = Installation.fixture();

    NestingTest(FleetUnderTest fleet) {
        this.backend = fleet.backend();
        this.records = fleet.records();
    }

    @BeforeEach
    void install() {
        backend.install(f);
    }

    @AfterEach
    void goesOn() {
        assertThat(backend.text(f, "echo", "{\"message\":\"fine\"}")).isEqualTo("fine");
    }

    @ParameterizedTest(name = "depth {0}")
    @ValueSource(ints = {Json.MAX_DEPTH - A_FEW, Json.MAX_DEPTH - 1, Json.MAX_DEPTH})
    void deepResult(int depth) {
        var answer = backend.call(f, "nested", "{\"depth\":" + depth + "}");

        assertThat(answer.text("outcome")).isEqualTo("success");
        assertThat(answer.json().at("/result/structuredContent").size()).isEqualTo(1);
    }

    @ParameterizedTest(name = "depth {0}")
    @ValueSource(ints = {Json.MAX_DEPTH + 1, 10 * Json.MAX_DEPTH})
    void resultTooDeep(int depth) {
        var answer = backend.call(f, "nested", "{\"depth\":" + depth + "}");

        assertThat(answer.text("outcome")).isEqualTo("failed");
        assertThat(answer.text("error/code")).isEqualTo("server_error");
    }

    @ParameterizedTest(name = "depth {0}")
    @ValueSource(ints = {Json.MAX_DEPTH - A_FEW, Json.MAX_DEPTH - 1, Json.MAX_DEPTH})
    void deepArguments(int depth) {
        send("r-deep-" + depth, depth);

        assertThat(backend.answer("r-deep-" + depth).text("outcome")).isEqualTo("success");
    }

    @ParameterizedTest(name = "depth {0}")
    @ValueSource(ints = {Json.MAX_DEPTH + 1, Json.MAX_DEPTH + A_FEW, 10 * Json.MAX_DEPTH})
    void argumentsTooDeep(int depth) {
        var letter = records.deadLetter(send("r-nested-" + depth, depth));

        assertThat(letter.header("perigee-reason")).isEqualTo("malformed");
        assertThat(letter.header("perigee-detail")).contains("nested");
    }

    @Test
    @DisplayName("the schema of a tool, which is in events and in the instance's durable state")
    void deepSchema() {
        // As deep as a tools/list can have it: message, result, tools, tool, schema.
        var schema = "{\"x\":".repeat(Json.MAX_DEPTH - 5) + "{}" + "}".repeat(Json.MAX_DEPTH - 5);
        var tool = "{\"name\":\"deep\",\"inputSchema\":" + schema + "}";

        backend.call(f, "tools_set", "{\"tools\":[\"echo\"," + tool + "]}");

        records.await(
                Topic.TOOLS,
                "a tool with a deep schema",
                r ->
                        r.key().equals(f.processId())
                                && r.json().toString().contains("f-server:deep"));
        assertThat(backend.ask(f, "tools/list", null).json().at("/result/tools").size())
                .isEqualTo(2);
    }

    private RecordMetadata send(String id, int depth) {
        var value =
                """
                {"request_id":"%s","team_id":"%s","user_id":"%s","method":"tools/call",
                 "tool_path":"%s","arguments":{"message":%s%s}}"""
                        .formatted(
                                id,
                                f.teamId(),
                                f.userId(),
                                f.toolPath("echo"),
                                "[".repeat(depth - 2),
                                "]".repeat(depth - 2));
        return backend.send(Topic.TOOL_REQUESTS, f.key(), value.getBytes(StandardCharsets.UTF_8));
    }
}
