package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@DisplayName("Calls through topics")
@ExtendWith(SharedFleet.class)
final class CallsTest {

    private final FleetUnderTest fleet;
    private final Backend backend;

    CallsTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @Test
    @DisplayName("A call that follows its configure at once is served")
    void rightAfterConfigure() {
        var f = Installation.fixture("--slow-init", "500");
        backend.configure(f, "mcp_installation_created");

        var answer = backend.call(f, "echo", "{\"message\":\"early\"}");

        assertThat(answer.text("result/content/0/text")).isEqualTo("early");
    }

    @Test
    @DisplayName("PRO-39: a fast answer overtakes a slow one")
    void outOfOrder(@TempDir Path folder) throws IOException {
        var f =
                backend.install(
                        Installation.fixture("--counter-file", folder.resolve("count").toString()));
        var go = folder.resolve("go");
        var slow = backend.request(f, "counter", "{\"until\":\"%s\"}".formatted(go));

        assertThat(backend.text(f, "echo", "{\"message\":\"fast\"}")).isEqualTo("fast");

        assertThat(fleet.records().matching(r -> r.text("request_id").equals(slow))).isEmpty();
        Files.createFile(go);
        assertThat(backend.answer(slow).text("result/content/0/text")).isEqualTo("1");
    }

    @Test
    @DisplayName("PRO-40: fifty calls at once get their own answers, each one")
    void concurrent() {
        var f = backend.install(Installation.fixture());
        var ids =
                IntStream.range(0, 50)
                        .mapToObj(i -> backend.request(f, "echo", "{\"message\":\"m" + i + "\"}"))
                        .toList();

        var answers = backend.answers(ids);

        for (int i = 0; i < ids.size(); i++) {
            assertThat(answers.get(i).text("result/content/0/text")).isEqualTo("m" + i);
        }
        assertThat(fleet.records().matching(r -> ids.contains(r.text("request_id")))).hasSize(50);
    }

    @Test
    @DisplayName("PRO-35, PRO-36, PRO-41: pieces, two answers in one write and notifications")
    void framing() {
        var f = backend.install(Installation.fixture());
        assertThat(backend.text(f, "split", "{\"json\":\"in 1-byte pieces: ü\"}"))
                .isEqualTo("in 1-byte pieces: ü");
        var first = backend.request(f, "pair", "{\"message\":\"one\"}");
        assertThat(backend.text(f, "pair", "{\"message\":\"two\"}")).isEqualTo("two");
        assertThat(backend.answer(first).text("result/content/0/text")).isEqualTo("one");
        var pid = backend.text(f, "pid", "{}");
        assertThat(backend.text(f, "notify", "{\"n\":100}")).isEqualTo("notified");
        assertThat(backend.text(f, "pid", "{}")).isEqualTo(pid);
        assertThat(new Watch(fleet).statuses(f)).endsWith("online").doesNotContain("error");
    }

    @ParameterizedTest
    @DisplayName("PRO-37: large answers arrive whole")
    @ValueSource(ints = {1_000_000, 10_000_000})
    void large(int bytes) {
        var f = backend.install(Installation.fixture());

        assertThat(backend.text(f, "big", "{\"bytes\":" + bytes + "}")).hasSize(bytes);
    }

    @Test
    @DisplayName("PRO-38: garbage on stdout is skipped, the process goes on")
    void garbage() {
        var f = backend.install(Installation.fixture("--garbage-on-start"));
        var pid = backend.text(f, "pid", "{}");
        assertThat(backend.text(f, "garbage", "{}")).isEqualTo("after garbage");
        assertThat(backend.text(f, "pid", "{}")).isEqualTo(pid);
    }

    @Test
    @DisplayName("PRO-26, PRO-27, PRO-32, PRO-34: what the server receives")
    void protocol() {
        var f = backend.install(Installation.fixture("--ask"));
        backend.text(f, "echo", "{\n\"message\":\"line\\nbreak\"\n}");

        var lines = new ArrayList<JsonNode>();
        Json.tree(bytes(backend.text(f, "record", "{}")))
                .forEach(line -> lines.add(Json.tree(bytes(line.asString()))));

        assertThat(lines).allMatch(line -> line.get("jsonrpc").asString().equals("2.0"));
        assertThat(lines.get(0).at("/method").asString()).isEqualTo("initialize");
        assertThat(lines.get(0).at("/params/protocolVersion").asString()).isEqualTo("2025-11-25");
        assertThat(lines.get(0).at("/params/clientInfo/name").asString()).isNotEmpty();
        assertThat(lines.get(0).at("/params/clientInfo/version").asString()).isNotEmpty();
        assertThat(lines.get(0).at("/params").has("capabilities")).isTrue();
        assertThat(lines.get(1).at("/method").asString()).isEqualTo("notifications/initialized");
        var answers = lines.stream().filter(line -> !line.has("method")).toList();
        assertThat(answers)
                .anyMatch(a -> a.get("id").isInt() && a.at("/result/roots").isArray())
                .anyMatch(a -> a.get("id").asString().equals("ping") && a.has("result"))
                .anyMatch(a -> a.at("/error/code").asInt() == -32601);
    }

    @Test
    @DisplayName("PRO-46, REC-31: errors of a tool are answers and change no status")
    void errors() {
        var f = backend.install(Installation.fixture());

        var isError = backend.call(f, "tool_error", "{\"text\":\"no such file\"}");
        var rpcError = backend.call(f, "rpc_error", "{\"code\":-32000,\"message\":\"quota used\"}");

        assertThat(isError.text("outcome")).isEqualTo("tool_error");
        assertThat(isError.text("result/content/0/text")).isEqualTo("no such file");
        assertThat(rpcError.text("outcome")).isEqualTo("failed");
        assertThat(rpcError.text("error/code")).isEqualTo("server_error");
        assertThat(rpcError.text("error/message")).contains("quota used");
        backend.text(f, "echo", "{\"message\":\"x\"}");
        backend.status(f, "online");
        assertThat(
                        fleet.records().matching(r -> r.key().equals(f.processId())).stream()
                                .filter(r -> r.topic().equals("status")))
                .last()
                .extracting(r -> r.text("status"))
                .isEqualTo("online");
    }

    @Test
    @DisplayName("PRO-43, PRO-44: a call that lasts too long times out, the next one works")
    void timeout() {
        var f = backend.install(Installation.fixture());
        var id = backend.request(f, "sleep", "{\"ms\":5000}", r -> r.put("timeout_ms", 2500));

        var answer = backend.answer(id);

        assertThat(answer.text("error/code")).isEqualTo("timeout");
        assertThat(answer.text("error/message")).containsIgnoringCase("timeout");
        assertThat(backend.text(f, "sleep", "{\"ms\":3500}")).isEqualTo("slept 3500");
        assertThat(fleet.records().matching(r -> r.text("request_id").equals(id))).hasSize(1);
    }

    @Test
    @DisplayName("FLT-07: the same request twice runs once, and has one answer")
    void sameRequestTwice(@TempDir Path folder) {
        var file = folder.resolve("count").toString();
        var f = backend.install(Installation.fixture("--counter-file", file));
        var id = backend.request(f, "counter", "{}");
        var answer = backend.answer(id);

        backend.request(f, "counter", "{}", r -> r.put("request_id", id));

        assertThat(backend.text(f, "counter", "{}")).isEqualTo("2");
        assertThat(answer.text("result/content/0/text")).isEqualTo("1");
        assertThat(fleet.records().matching(r -> r.text("request_id").equals(id)))
                .allSatisfy(
                        repeat -> {
                            assertThat(repeat.header("ce_id")).isEqualTo(answer.header("ce_id"));
                            assertThat(repeat.json()).isEqualTo(answer.json());
                        });
    }

    @Test
    @DisplayName("Unknown tools and servers, and unclear requests, are refused with what to do")
    void refused() {
        var f = backend.install(Installation.fixture());
        assertThat(backend.call(f, "no_such_tool", "{}").text("error/code"))
                .isEqualTo("unknown_tool");
        assertThat(backend.call(f.as("other-server", "x"), "echo", "{}").text("error/code"))
                .isEqualTo("unknown_server");
        var noMethod = backend.request(f, "echo", "{}", r -> r.put("method", "tools/dance"));
        assertThat(backend.answer(noMethod).text("error/code")).isEqualTo("invalid_request");
        backend.install(f.as(f.serverSlug(), "second-" + f.installationId()));
        assertThat(backend.call(f, "pid", "{}").text("error/code")).isEqualTo("invalid_request");
        var named =
                backend.request(f, "pid", "{}", r -> r.put("installation_id", f.installationId()));
        assertThat(backend.answer(named).text("outcome")).isEqualTo("success");
    }

    @Test
    @DisplayName("STA-09, STA-10: tools are listed and searched per user")
    void lists() {
        var f = backend.install(Installation.fixture());
        var other = f.ofUser("somebody-else");

        var listed = backend.ask(f, "tools/list", null);
        var none = backend.ask(other, "tools/list", null);
        var id =
                backend.request(
                        f,
                        "",
                        "{}",
                        r -> {
                            r.remove("tool_path");
                            return r.put("method", "tools/search").put("query", "echo");
                        });

        assertThat(listed.json().at("/result/tools").toString()).contains(f.toolPath("echo"));
        assertThat(none.json().at("/result/tools").size()).isZero();
        assertThat(backend.answer(id).json().at("/result").toString()).contains(f.toolPath("echo"));
    }

    @Test
    @DisplayName("Resources and prompts are passed through")
    void resourcesAndPrompts() {
        var f = backend.install(Installation.fixture());
        var slug = f.serverSlug();
        assertThat(backend.ask(f, "resources/list", slug).json().at("/result/resources").size())
                .isEqualTo(2);
        assertThat(
                        backend.ask(f, "resources/read", slug + "|f://pipe|in|name")
                                .text("result/contents/0/text"))
                .isEqualTo("a uri with pipes");
        assertThat(backend.ask(f, "prompts/list", slug).text("result/prompts/0/name"))
                .isEqualTo("greet");
        assertThat(
                        backend.ask(f, "prompts/get", slug + ":greet")
                                .text("result/messages/0/content/text"))
                .startsWith("Greet");
    }

    @Test
    @DisplayName("A reply topic gets the result too, with the correlation id as it was")
    void reply() {
        var f = backend.install(Installation.fixture());
        var correlation = new byte[] {0, -1, 'x', 10};
        var request =
                """
                {"request_id":"r-reply","team_id":"%s","user_id":"%s","method":"tools/call",
                 "tool_path":"%s","arguments":{"message":"hi"}}"""
                        .formatted(f.teamId(), f.userId(), f.toolPath("echo"));
        var record = new ProducerRecord<>("mcp.tool-requests", bytes(f.key()), bytes(request));
        record.headers()
                .add("kafka_replyTopic", bytes("mcp." + Records.REPLIES))
                .add("kafka_replyPartition", new byte[] {0, 0, 0, 0})
                .add("kafka_correlationId", correlation);

        backend.send(record);

        var reply =
                fleet.records().awaitReply("reply", r -> r.text("request_id").equals("r-reply"));
        assertThat(reply.raw().headers().lastHeader("kafka_correlationId").value())
                .isEqualTo(correlation);
        assertThat(reply.json()).isEqualTo(backend.answer("r-reply").json());
    }

    @Test
    @DisplayName("A cancelled call is answered so, once")
    void cancel() {
        var f = backend.install(Installation.fixture());
        var slow = backend.request(f, "sleep", "{\"ms\":20000}");
        backend.text(f, "echo", "{\"message\":\"the other one is running\"}");

        backend.request(f, "sleep", "{}", r -> r.put("method", "cancel").put("request_id", slow));

        var answer =
                fleet.records()
                        .await(
                                Topic.TOOL_RESULTS,
                                "cancelled",
                                r ->
                                        r.text("request_id").equals(slow)
                                                && r.text("error/code").equals("cancelled"));
        assertThat(answer.text("outcome")).isEqualTo("failed");
    }

    @Test
    @DisplayName("PRO-93, PRO-96, PRO-97: stderr arrives as a batch of log lines")
    void logs() {
        var f = backend.install(Installation.fixture());
        // By one call: a batch is over some seconds after its first line.
        backend.text(f, "stderr", "{\"text\":\"ERROR: disk is full\\nwarning: low\\njust so\"}");

        var batch =
                fleet.records().await(Topic.LOGS, "log lines", r -> r.key().equals(f.processId()));

        assertThat(List.of(batch.json().get("logs")).getFirst().valueStream())
                .extracting(line -> line.get("level").asString() + " " + line.get("message"))
                .containsExactly(
                        "error \"ERROR: disk is full\"",
                        "warn \"warning: low\"",
                        "info \"just so\"");
        assertThat(batch.text("logs/0/metadata/process_id")).isEqualTo(f.processId());
        assertThat(batch.text("user_id")).isEqualTo(f.userId());
    }

    @Test
    @DisplayName("PRO-95: two users of one installation never share a batch of log lines")
    void logsOfTwo() {
        var f = backend.install(Installation.fixture());
        var users = List.of(f, backend.install(f.ofUser("mate")));
        var said =
                users.stream()
                        .map(user -> "{\"n\":3,\"text\":\"of %s\"}".formatted(user.userId()))
                        .toList();
        backend.answers(
                List.of(
                        backend.request(users.getFirst(), "stderr", said.getFirst()),
                        backend.request(users.getLast(), "stderr", said.getLast())));

        for (var user : users) {
            var batch =
                    fleet.records()
                            .await(
                                    Topic.LOGS,
                                    "log lines",
                                    r ->
                                            r.text("team_id").equals(f.teamId())
                                                    && r.text("user_id").equals(user.userId()));
            assertThat(batch.key()).isEqualTo(user.processId());
            assertThat(batch.json().path("logs").valueStream())
                    .extracting(line -> line.path("message").asString())
                    .containsExactly(
                            "of " + user.userId() + " 1",
                            "of " + user.userId() + " 2",
                            "of " + user.userId() + " 3");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
