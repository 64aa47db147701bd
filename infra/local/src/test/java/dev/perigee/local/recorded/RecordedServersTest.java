package dev.perigee.local.recorded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingJson;
import dev.perigee.local.recording.RecordingWriter;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@DisplayName("RPL-02: Recorded servers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RecordedServersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient client = HttpClient.newHttpClient();
    private RecordedServers servers;
    private int sequence;

    private Path file;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        file = folder.resolve("day.recording");
        var now = Instant.EPOCH;
        try (var writer =
                new RecordingWriter(file, new RecordingHeader(1, "1", "c/", 1, null, now, now))) {
            write(
                    writer,
                    Topic.TOOLS,
                    "s-a-b-i",
                    "{\"tools\":[{\"tool_name\":\"get\",\"tool_path\":\"s:get\",\"description\":\"Gets\","
                            + "\"input_schema\":{\"type\":\"object\"},\"read_only_hint\":true}]}");
            call(
                    writer,
                    "r1",
                    "s-a-b-i",
                    "{\"n\":1,\"m\":{\"x\":1,\"y\":2}}",
                    "\"result\":{\"v\":\"first\"}");
            call(
                    writer,
                    "r2",
                    "s-a-b-i",
                    "{\"m\":{\"y\":2,\"x\":1},\"n\":1.0}",
                    "\"result\":{\"v\":\"second\"}");
            call(
                    writer,
                    "r3",
                    "s-a-c-i",
                    "{\"n\":1,\"m\":{\"x\":1,\"y\":2}}",
                    "\"result\":{\"v\":\"of c\"}");
            call(writer, "r4", "s-a-b-i", "{\"n\":4}", "\"error\":{\"code\":\"timeout\"}");
            call(
                    writer,
                    "r5",
                    "s-a-b-i",
                    "{\"k\":\"masked-0123456789ab\"}",
                    "\"result\":{\"v\":\"masked\"}");
            call(writer, "r6", "s-a-b-i", "{\"n\":\"é\"}", "\"result\":{\"v\":\"accent\"}");
            writer.finish();
        }
        servers =
                RecordedServers.start(
                        RecordedAnswers.of(file),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterAll
    void stop() {
        servers.close();
    }

    private void call(
            RecordingWriter writer, String id, String process, String arguments, String answer) {
        write(
                writer,
                Topic.TOOL_REQUESTS,
                "t/u",
                "{\"request_id\":\"%s\",\"method\":\"tools/call\",\"tool_path\":\"s:get\",\"arguments\":%s}"
                        .formatted(id, arguments));
        write(
                writer,
                Topic.TOOL_RESULTS,
                "t/u",
                "{\"request_id\":\"%s\",\"process_id\":\"%s\",%s}".formatted(id, process, answer));
    }

    private void write(RecordingWriter writer, Topic topic, String key, String value) {
        var json = RecordingJson.MAPPER.readTree(value);
        writer.write(new RecordedRecord(topic, 0, sequence, sequence++, key, Map.of(), json));
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        var at = servers.address();
        var uri = URI.create("http://" + at.getHostString() + ":" + at.getPort() + path);
        var request = HttpRequest.newBuilder(uri).timeout(PATIENCE);
        return client.send(
                request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode ask(String process, String method, String params) throws Exception {
        var body =
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":%s}"
                        .formatted(method, params);
        var response = post("/servers/" + process, body);
        assertThat(response.statusCode()).isEqualTo(200);
        var reply = RecordingJson.MAPPER.readTree(response.body());
        assertThat(reply.path("id").asInt()).isEqualTo(7);
        return reply;
    }

    private String answer(String process, String arguments) throws Exception {
        var params = "{\"name\":\"get\",\"arguments\":" + arguments + "}";
        return ask(process, "tools/call", params).path("result").toString();
    }

    @Test
    @DisplayName("announce the tools that were recorded, and accept notifications")
    void announce() throws Exception {
        var hello = ask("s-a-b-i", "initialize", "{\"protocolVersion\":\"2025-03-26\"}");
        assertThat(hello.at("/result/protocolVersion").asString()).isEqualTo("2025-03-26");
        var tool = ask("s-a-b-i", "tools/list", "{}").at("/result/tools/0");
        assertThat(tool.toString())
                .isEqualTo(
                        "{\"name\":\"get\",\"description\":\"Gets\",\"inputSchema\":{\"type\":\"object\"},"
                                + "\"annotations\":{\"readOnlyHint\":true}}");
        assertThat(ask("other", "tools/list", "{}").at("/result/tools").isEmpty()).isTrue();
        assertThat(ask("s-a-b-i", "resources/list", "{}").at("/error/code").asInt())
                .isEqualTo(-32601);
        var notice = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
        assertThat(post("/servers/s-a-b-i", notice).statusCode()).isEqualTo(202);
        assertThat(post("/servers/s-a-b-i", "no json").statusCode()).isEqualTo(400);
    }

    @Test
    @DisplayName("answer by server and arguments in the order of repetition, the last one again")
    void answers() throws Exception {
        var arguments = "{\"m\":{\"x\":1,\"y\":2},\"n\":1}";

        assertThat(answer("s-a-b-i", arguments)).contains("first");
        assertThat(answer("s-a-b-i", arguments)).contains("second");
        assertThat(answer("s-a-b-i", arguments)).contains("second");
        assertThat(answer("s-a-c-i", arguments)).contains("of c");
        assertThat(answer("s-a-b-i", "{\"k\":\"masked-ba9876543210\"}")).contains("\"masked\"");
        assertThat(answer("s-a-b-i", "{\"n\":\"é\"}")).contains("accent");
        assertThat(
                        ask("s-a-b-i", "tools/call", "{\"name\":\"get\",\"arguments\":{\"n\":4}}")
                                .at("/error/message")
                                .asString())
                .contains("timeout");
    }

    @Test
    @DisplayName("leave no file behind when there is no room or the address is taken")
    void nothingLeft(@TempDir Path folder) throws IOException {
        var full = Files.createSymbolicLink(folder.resolve("a"), Path.of("/dev/full"));
        assertThatThrownBy(() -> RecordedAnswers.of(file, full))
                .isInstanceOfSatisfying(
                        RecordingException.class, e -> assertThat(e.isOfStorage()).isTrue());
        var answers = RecordedAnswers.of(file, folder.resolve("b"));
        assertThatThrownBy(() -> RecordedServers.start(answers, servers.address()))
                .isInstanceOf(BindException.class);

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    @DisplayName("say what was not recorded, and count it")
    void notRecorded() throws Exception {
        assertThat(answer("s-a-b-i", "{\"n\":99}")).contains("\"isError\":true", "Not recorded");
        assertThat(answer("s-a-d-i", "{\"n\":1}")).contains("Not recorded");

        assertThat(servers.notRecorded()).containsKeys("s-a-b-i:get", "s-a-d-i:get");
        assertThat(post("/counts", "").body()).contains("\"recorded\":6", "\"s-a-d-i:get\":1");
    }
}
