package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A record that cannot be accepted becomes a dead letter and harms nobody")
@ExtendWith(SharedFleet.class)
final class BadRecordsTest {

    private static final int LARGE = 16 << 20;

    private final FleetUnderTest fleet;
    private final Backend backend;
    private final Installation bystander = Installation.fixture();

    BadRecordsTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @BeforeEach
    void install() {
        backend.install(bystander);
    }

    /** The bystander has the key, and so the partition, of most of the bad records. */
    @AfterEach
    void bystanderNoticesNothing() {
        assertThat(backend.text(bystander, "echo", "{\"message\":\"fine\"}")).isEqualTo("fine");
    }

    @ParameterizedTest
    @EnumSource(
            value = Topic.class,
            names = {"COMMANDS", "TOOL_REQUESTS"})
    void malformed(Topic topic) {
        var sent = backend.send(topic, bystander.key(), bytes("{\"id\": not json"));

        var letter = letter(sent, "malformed");

        assertThat(letter.key()).isEqualTo(bystander.key());
        assertThat(letter.raw().value()).isEqualTo(bytes("{\"id\": not json"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Topic.class,
            names = {"COMMANDS", "TOOL_REQUESTS"})
    void withoutValueOrKey(Topic topic) {
        var name = "mcp." + topic.suffix();
        letter(backend.send(new ProducerRecord<>(name, bytes(bystander.key()), null)), "malformed");
        letter(backend.send(new ProducerRecord<>(name, null, bytes("{}"))), "invalid");
    }

    @Test
    void wrongKey() {
        var request = request(bystander, "r-wrong-key");
        var sent = backend.send(Topic.TOOL_REQUESTS, "another-team/another-user", bytes(request));

        assertThat(letter(sent, "invalid").header("perigee-detail")).contains("key");
    }

    @Test
    void missingField() {
        var sent =
                backend.send(
                        Topic.TOOL_REQUESTS,
                        bystander.key(),
                        bytes("{\"team_id\":\"t\",\"user_id\":\"u\",\"method\":\"tools/call\"}"));

        assertThat(letter(sent, "invalid").header("perigee-detail")).contains("request_id");
    }

    @Test
    void wrongType() {
        var request = request(bystander, "r-wrong-type").replace("\"tools/call\"", "7");

        var sent = backend.send(Topic.TOOL_REQUESTS, bystander.key(), bytes(request));

        assertThat(letter(sent, "invalid").header("perigee-detail")).contains("method");
    }

    @Test
    @DisplayName("misrouted: and a request is answered too, with the hint")
    void misrouted() {
        var f = bystander;
        var normal = backend.send(Topic.TOOL_REQUESTS, f.key(), bytes(request(f, "r-routed")));
        var sent =
                backend.send(
                        new ProducerRecord<>(
                                "mcp.tool-requests",
                                (normal.partition() + 1) % 8,
                                bytes(f.key()),
                                bytes(request(f, "r-misrouted"))));

        assertThat(letter(sent, "misrouted").header("perigee-detail")).contains("murmur2");
        assertThat(backend.answer("r-misrouted").text("error/code")).isEqualTo("invalid_request");
    }

    @Test
    @DisplayName("too large: a request of 16 MiB is answered or put aside, and the next one served")
    void sixteenMebibytes() {
        var f = bystander;
        var large =
                request(f, "r-large")
                        .replace(
                                "\"arguments\":{",
                                "\"arguments\":{\"x\":\"" + "y".repeat(LARGE) + "\",");

        var sent = backend.send(Topic.TOOL_REQUESTS, f.key(), bytes(large));

        var answer = backend.answer("r-large");
        assertThat(answer.text("error/code")).as("of offset %s", sent).isEqualTo("too_large");
    }

    @Test
    @DisplayName("too large: an answer of 17 MiB becomes an error, the process goes on")
    void largeAnswer() {
        var pid = backend.text(bystander, "pid", "{}");

        var answer = backend.call(bystander, "big", "{\"bytes\":" + (LARGE + (1 << 20)) + "}");

        assertThat(answer.text("error/code")).isEqualTo("too_large");
        assertThat(backend.text(bystander, "pid", "{}")).isEqualTo(pid);
    }

    @Test
    @DisplayName("forbidden_reply_topic: a result goes to no topic outside the allowed ones")
    void forbiddenReplyTopic() {
        var record =
                new ProducerRecord<>(
                        "mcp.tool-requests",
                        bytes(bystander.key()),
                        bytes(request(bystander, "r-forbidden")));
        record.headers().add("kafka_replyTopic", bytes("__consumer_offsets"));

        letter(backend.send(record), "forbidden_reply_topic");
    }

    private Received letter(RecordMetadata sent, String reason) {
        var letter = fleet.records().deadLetter(sent);
        assertThat(letter.header("perigee-reason")).isEqualTo(reason);
        assertThat(letter.header("perigee-detail")).isNotEmpty();
        return letter;
    }

    private static String request(Installation installation, String id) {
        return """
        {"request_id":"%s","team_id":"%s","user_id":"%s","method":"tools/call",
         "tool_path":"%s","arguments":{"message":"hi"}}"""
                .formatted(
                        id,
                        installation.teamId(),
                        installation.userId(),
                        installation.toolPath("echo"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
