package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server of the official SDK asks during its calls, and a backend answers. */
@DisplayName("Calls whose servers ask, through topics")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
final class AskingCallsTest {
    private static final long LONG = 120_000;
    private static final String MODEL =
            "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"red\"},\"model\":\"m\"}";

    private FleetUnderTest fleet;
    private Backend backend;
    private Asking asking;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("asking")
                        .workers(2)
                        .worker("mcp.announce-input", "true")
                        .start();
        backend = fleet.backend();
        asking = new Asking(fleet);
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName("CAL-04: a question arrives as the contract says, is answered, the call ends once")
    void asks() {
        var server = asking.install();
        var call = asking.call(server, "{}", LONG);

        var question = asking.question(call);
        assertThat(PublishedContract.ofThisTree().violations(question)).isEmpty();
        assertThat(question.header("ce_type")).isEqualTo("perigee.call.input_required");
        assertThat(question.text("process_id")).isEqualTo(server.processId());
        assertThat(question.text("tool_path")).isEqualTo(server.toolPath("ask"));
        assertThat(question.json().path("requests").propertyNames()).containsExactly("question");
        assertThat(question.text("requests/question/method")).isEqualTo("elicitation/create");
        assertThat(question.text("requests/question/params/message")).isEqualTo("Which room?");
        assertThat(question.text("requests/question/params/requestedSchema/required/0"))
                .isEqualTo("room");
        assertThat(Instant.parse(question.text("expires_at"))).isAfter(Instant.now());
        asking.assertTaken(asking.respond(server, question, Asking.ROOM));

        asking.assertBooked(call, 1);
        assertThat(asking.count(call)).isEqualTo(1);
    }

    @Test
    @DisplayName("CAL-04: a model's words and an address are asked for likewise")
    void asksForOthers() {
        var server = asking.install();

        var sampling = asking.call(server, "{\"sampling\":true}", LONG);
        var words = asking.question(sampling);
        assertThat(words.text("requests/question/method")).isEqualTo("sampling/createMessage");
        assertThat(words.text("requests/question/params/messages/0/content/text"))
                .isEqualTo("Which room?");
        asking.assertTaken(asking.respond(server, words, MODEL));
        assertThat(asking.told(sampling).at("/answers/0/content/text").asString(""))
                .isEqualTo("red");

        var paying = asking.call(server, "{\"url\":\"https://example.org/pay\"}", LONG);
        var address = asking.question(paying);
        assertThat(address.text("requests/question/params/url"))
                .isEqualTo("https://example.org/pay");
        asking.assertTaken(asking.respond(server, address, "{\"action\":\"decline\"}"));
        assertThat(asking.told(paying).at("/answers/0/action").asString("")).isEqualTo("decline");
    }

    @Test
    @DisplayName("CAL-04: the question goes to the reply topic, too")
    void replies() {
        var server = asking.install();
        var request =
                """
                {"request_id":"r-asking","team_id":"%s","user_id":"%s","method":"tools/call",
                 "tool_path":"%s","arguments":{},"accepts":["input"]}"""
                        .formatted(server.teamId(), server.userId(), server.toolPath("ask"));
        var record = new ProducerRecord<>("mcp.tool-requests", bytes(server.key()), bytes(request));
        record.headers()
                .add("kafka_replyTopic", bytes("mcp." + Records.REPLIES))
                .add("kafka_correlationId", bytes("c"));
        backend.send(record);

        var question =
                fleet.records()
                        .awaitReply(
                                "question",
                                reply ->
                                        reply.key().equals("r-asking")
                                                && !reply.text("input_id").isEmpty());
        assertThat(question.header("ce_type")).isEqualTo("perigee.call.input_required");
        assertThat(question.header("kafka_correlationId")).isEqualTo("c");
        asking.assertTaken(asking.respond(server, question, Asking.ROOM));
        asking.assertBooked("r-asking", 1);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"alone\":true}"})
    @DisplayName("CAL-04: over HTTP, on the call's own stream and on the session's")
    void overHttp(String arguments) throws Exception {
        try (var elsewhere = AskingServer.started()) {
            var server =
                    backend.install(Installation.elsewhere("http", elsewhere.url().toString()));
            var call = asking.call(server, arguments, LONG);

            asking.assertTaken(asking.respond(server, asking.question(call), Asking.ROOM));

            asking.assertBooked(call, 1);
        }
    }

    @Test
    @DisplayName("CAL-04: the deadline stands still while the question is open")
    void standsStill() {
        var server = asking.install();
        var call = asking.call(server, "{}", LONG, request -> request.put("timeout_ms", 6_000));
        var question = asking.question(call);
        long asked = System.nanoTime();

        await().atMost(Records.PATIENCE)
                .until(() -> System.nanoTime() - asked > Duration.ofSeconds(8).toNanos());

        asking.assertTaken(asking.respond(server, question, Asking.ROOM));
        asking.assertBooked(call, 1);
    }

    @Test
    @DisplayName("CAL-04: who accepts nothing is not asked, and cancel ends a call that asks")
    void asksNobodyElse() {
        var server = asking.install();

        var silent = backend.request(server, "ask", "{}");
        assertThat(asking.told(silent).at("/answers/0/error").asInt(0)).isEqualTo(-32601);
        assertThat(asking.count(silent)).isZero();

        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);
        backend.request(
                server, "ask", "{}", it -> it.put("method", "cancel").put("request_id", call));
        fleet.records()
                .await(
                        Topic.TOOL_RESULTS,
                        "cancelled",
                        result ->
                                result.text("request_id").equals(call)
                                        && result.text("error/code").equals("cancelled"));
        asking.assertRefused(asking.respond(server, question, Asking.ROOM), "has ended");
    }

    @Test
    @DisplayName("CAL-06: of many responses one counts, the others are told why, early and late")
    void countsOne() {
        var server = asking.install();
        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);

        var responses =
                IntStream.range(0, 20)
                        .mapToObj(_ -> asking.respond(server, question, Asking.ROOM))
                        .toList();
        var answers = backend.answers(responses);
        assertThat(answers)
                .filteredOn(answer -> answer.text("outcome").equals("success"))
                .hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> !answer.text("outcome").equals("success"))
                .allMatch(answer -> answer.text("error/code").equals("invalid_request"))
                .allMatch(answer -> answer.text("error/message").contains("answered before"));
        asking.assertBooked(call, 1);
        responses.forEach(asking::assertOneAnswer);

        asking.assertRefused(asking.respond(server, question, Asking.ROOM), "answered before");
    }

    @Test
    @DisplayName("CAL-06: by others, and to nobody's question: refused, and the question is open")
    void countsNobodyElse() {
        var server = asking.install();
        var other = asking.install();
        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);
        var second = asking.call(server, "{}", LONG);
        asking.question(second);
        var id = question.text("input_id");
        var yes = "{\"question\":" + Asking.ROOM + "}";

        for (var by : new Installation[] {server.ofUser("somebody"), other}) {
            asking.assertRefused(asking.respond(by, question, Asking.ROOM), "No call of this user");
        }
        asking.assertRefused(asking.respond(server, "none", id, yes), "No call of this user");
        asking.assertRefused(asking.respond(server, call, "none", yes), "did not ask");
        asking.assertRefused(asking.respond(server, second, id, yes), "did not ask");

        asking.assertTaken(asking.respond(server, question, Asking.ROOM));
        assertThat(asking.told(call).at("/answers/0/content/room").asString("")).isEqualTo("blue");
    }

    @Test
    @DisplayName("CAL-06: responses of a wrong shape are refused, and may be sent again")
    void refusesWrongShapes() {
        var server = asking.install();
        var call = asking.call(server, "{}", LONG);
        var question = asking.question(call);
        var id = question.text("input_id");

        for (var wrong :
                new String[] {
                    "[]",
                    "7",
                    "{}",
                    "{\"question\":1}",
                    "{\"question\":null}",
                    "{\"question\":{\"action\":\"perhaps\"}}",
                    "{\"question\":{\"action\":\"accept\",\"content\":[]}}",
                    "{\"question\":{\"action\":\"accept\"},\"more\":{}}",
                    "{\"question\":" + MODEL + "}",
                    "{\"question\":{\"action\":\"decline\",\"x\":\"" + "x".repeat(1 << 20) + "\"}}"
                }) {
            asking.assertRefused(asking.respond(server, call, id, wrong), "respons");
        }

        // What the form wants is the server's to say.
        var form = "{\"action\":\"accept\",\"content\":{\"room\":7}}";
        asking.assertTaken(asking.respond(server, question, form));
        assertThat(asking.told(call).at("/answers/0/error").asInt(0)).isEqualTo(-32602);
        asking.assertOneAnswer(call);
    }

    @Test
    @DisplayName("CAL-07: a question that nobody answers ends its call in time, and nobody else's")
    void expires() {
        var server = asking.install();
        var call = asking.call(server, "{}", 2_000);
        var question = asking.question(call);

        var other = backend.text(server, "pid", "{}");
        var answer = backend.answer(call);
        assertThat(answer.text("error/code")).isEqualTo("input_timeout");
        assertThat(Long.parseLong(answer.text("duration_ms"))).isBetween(2_000L, 20_000L);
        asking.assertOneAnswer(call);

        asking.assertRefused(asking.respond(server, question, Asking.ROOM), "expired");
        assertThat(backend.text(server, "pid", "{}")).isEqualTo(other);
        var next = asking.call(server, "{}", LONG);
        asking.assertTaken(asking.respond(server, asking.question(next), Asking.ROOM));
        asking.assertBooked(next, 2);
    }

    @Test
    @DisplayName("A question of 1 MB is refused, and the server goes on")
    void refusesLargeQuestions() {
        var server = asking.install();

        var call = asking.call(server, "{\"bytes\":1000000}", LONG);

        assertThat(asking.told(call).at("/answers/0/error").asInt(0)).isEqualTo(-32602);
        assertThat(asking.count(call)).isZero();
        var next = asking.call(server, "{\"bytes\":200000}", LONG);
        asking.assertTaken(asking.respond(server, asking.question(next), Asking.ROOM));
        asking.assertBooked(next, 2);
    }

    @Test
    @DisplayName("Of ten thousand questions at once eight are published, and others are served")
    void boundsQuestionsAtOnce() {
        var server = asking.install();

        var call = asking.call(server, "{\"n\":10000}", 10_000);

        var open = asking.questions(call, 8);
        var pid = backend.text(server, "pid", "{}");
        asking.assertTaken(asking.respond(server, open.getFirst(), Asking.ROOM));
        assertThat(backend.answer(call).text("error/code")).isEqualTo("input_timeout");
        assertThat(asking.count(call)).isEqualTo(8);
        assertThat(backend.text(server, "pid", "{}")).isEqualTo(pid);
    }

    @Test
    @DisplayName("A call has a hundred questions in all")
    void boundsQuestionsInAll() {
        var server = asking.install();

        var call = asking.call(server, "{\"n\":8,\"rounds\":13}", LONG);

        for (int asked = 0; asked < 100; asked++) {
            var question = asking.questions(call, asked + 1).getLast();
            asking.assertTaken(asking.respond(server, question, Asking.ROOM));
        }
        var answers = asking.told(call).path("answers");
        assertThat(answers.valueStream().filter(each -> each.has("content"))).hasSize(100);
        assertThat(answers.valueStream().filter(each -> each.has("error"))).hasSize(4);
    }

    @Test
    @DisplayName("CAL-04: the Java client has a handler answer")
    void javaClient() throws Exception {
        var server = asking.install();
        var request =
                ToolRequest.call(
                                "r-asked",
                                server.teamId(),
                                server.userId(),
                                server.toolPath("ask"),
                                RawJson.EMPTY_OBJECT,
                                30_000L)
                        .acceptingInput(null);
        var kafka = new KafkaConnection(fleet.bootstrap(), fleet.names(), Map.of());
        try (var client = PerigeeClient.connectWithEvents(kafka)) {
            var answer =
                    client.call(
                            request,
                            Duration.ofSeconds(60),
                            _ -> {},
                            _ -> RawJson.of("{\"question\":" + Asking.ROOM + "}"));
            assertThat(answer.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        }
        asking.assertBooked("r-asked", 1);
    }

    @Test
    @DisplayName("CAL-04: perigee call --answer answers from a file")
    void commandLine(@TempDir Path folder) throws Exception {
        var server = asking.install();
        var answer = Files.writeString(folder.resolve("answer.json"), Asking.ROOM);
        var ran = InProcessRun.call(fleet, server, "ask", "--answer", answer.toString());

        assertThat(ran.exitCode()).as("%s", ran).isZero();
        assertThat(ran.out()).contains("blue");
    }
}
