package dev.perigee.local.cli;

import static dev.perigee.local.cli.ScriptedRecords.TIME;
import static dev.perigee.local.cli.ScriptedRecords.answer;
import static dev.perigee.local.cli.ScriptedRecords.event;
import static dev.perigee.local.cli.ScriptedRecords.failed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.InputHandler;
import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("CAL-04: a client answers what servers ask")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AskingClientTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final RawJson YES = RawJson.of("{\"q\":{\"action\":\"accept\"}}");

    /** Counts as answered by another. */
    private static final RawJson LATE = RawJson.of("{\"q\":{\"action\":\"cancel\"}}");

    private final ConcurrentLinkedQueue<ToolRequest> responses = new ConcurrentLinkedQueue<>();
    private ScriptedGateway gateway;
    private KafkaConnection kafka;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        gateway = ScriptedGateway.withBroker(data, (_, value) -> script(value));
        kafka = gateway.connection();
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    private List<Answer> script(byte[] value) {
        var request = Json.read(value, ToolRequest.class);
        if (request.method().equals(ToolMethod.CALL_RESPOND.wireName())) {
            responses.add(request);
            if (Objects.equals(LATE, request.responses())) {
                return failed(request, ErrorCode.INVALID_REQUEST, "answered before");
            }
            var all = new ArrayList<>(answer(request, ToolOutcome.SUCCESS, "{\"accepted\":true}"));
            all.addAll(done(call(Objects.requireNonNull(request.inReplyTo()))));
            return all;
        }
        return List.of(question(request), question(request));
    }

    private static Answer question(ToolRequest request) {
        var requests =
                RawJson.of(
                        "{\"q\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"ok?\"}}}");
        var body =
                new CallInputRequired(
                        request.requestId(), request.toolPath(), "i1", requests, TIME);
        return new Answer(
                Topic.CALL_EVENTS,
                request.requestId(),
                event(Topic.CALL_EVENTS, "p", "t1", body).value());
    }

    private static List<Answer> done(ToolRequest request) {
        return answer(
                request,
                ToolOutcome.SUCCESS,
                "{\"content\":[{\"type\":\"text\",\"text\":\"booked\"}]}");
    }

    private static ToolRequest call(String id) {
        return ToolRequest.call(id, "t1", "u1", "a:ask", RawJson.EMPTY_OBJECT, 1000L)
                .acceptingInput(null);
    }

    private List<ToolRequest> responsesTo(String id) {
        return responses.stream().filter(each -> id.equals(each.inReplyTo())).toList();
    }

    @Test
    @DisplayName("each question once, and shows what it answers")
    void answersOnce() throws Exception {
        var told = new CopyOnWriteArrayList<EventBody>();
        try (var client = PerigeeClient.connectWithEvents(kafka)) {
            var answer = client.call(call("once"), LONG, told::add, _ -> YES);
            assertThat(answer.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        }

        assertThat(told).isNotEmpty().hasOnlyElementsOfType(CallInputRequired.class);
        assertThat(responsesTo("once")).hasSize(1);
        var response = responsesTo("once").getFirst();
        assertThat(response.inputId()).isEqualTo("i1");
        assertThat(response.responses()).isEqualTo(YES);
        assertThat(response.key()).isEqualTo(call("once").key());
    }

    @Test
    @DisplayName("and is told why its responses do not count, after which others may")
    void isToldWhy() throws Exception {
        var refused = new CompletableFuture<CallInputRequired>();
        var handler =
                new InputHandler() {
                    @Override
                    public RawJson answer(CallInputRequired question) {
                        return LATE;
                    }

                    @Override
                    public void refused(CallInputRequired question, ToolResult answer) {
                        var error = answer.error();
                        if (error != null && error.message().equals("answered before")) {
                            refused.complete(question);
                        }
                    }
                };
        var request = call("late");
        var outcome = new CompletableFuture<ToolOutcome>();
        try (var client = PerigeeClient.connectWithEvents(kafka)) {
            Thread.ofVirtual().start(() -> outcome.complete(outcome(client, request, handler)));

            var question = refused.get(LONG.toSeconds(), TimeUnit.SECONDS);
            var response = client.respond(request.key(), question, YES, LONG);

            assertThat(response.outcome()).isEqualTo(ToolOutcome.SUCCESS);
            assertThat(outcome.get(LONG.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(ToolOutcome.SUCCESS);
        }
        assertThat(responsesTo("late")).hasSize(2);
    }

    private static ToolOutcome outcome(
            PerigeeClient client, ToolRequest request, InputHandler handler) {
        try {
            return client.call(request, LONG, _ -> {}, handler).outcome();
        } catch (InterruptedException | TimeoutException e) {
            return ToolOutcome.FAILED;
        }
    }

    @Test
    @DisplayName("a handler that throws ends the wait")
    void failsWithItsHandler() {
        try (var client = PerigeeClient.connectWithEvents(kafka)) {
            assertThatThrownBy(
                            () ->
                                    client.call(
                                            call("thrown"),
                                            LONG,
                                            _ -> {},
                                            _ -> {
                                                throw new IllegalStateException("no idea");
                                            }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("no idea");
        }
        assertThat(responsesTo("thrown")).isEmpty();
    }

    @Test
    @DisplayName("a handler that throws after the wait does not end the next one with the same id")
    void endsNoOtherWait() throws Exception {
        var request = call("again");
        var first = new CompletableFuture<Thread>();
        var next = new CountDownLatch(1);
        try (var client = PerigeeClient.connectWithEvents(kafka)) {
            assertThatThrownBy(
                            () ->
                                    client.call(
                                            request,
                                            Duration.ofSeconds(3),
                                            _ -> {},
                                            _ -> {
                                                first.complete(Thread.currentThread());
                                                throw interrupted(next);
                                            }))
                    .isInstanceOf(TimeoutException.class);

            var answer =
                    client.call(
                            request,
                            LONG,
                            _ -> {},
                            _ -> {
                                next.countDown();
                                assertThat(first.join().join(LONG)).isTrue();
                                return YES;
                            });

            assertThat(answer.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        }
    }

    /** What a handler throws that takes its interruption for a failure, but not before the next. */
    private static IllegalStateException interrupted(CountDownLatch next) {
        boolean released = false;
        while (!released) {
            try {
                released = next.await(2 * LONG.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                // Goes on until then.
            }
        }
        return new IllegalStateException("interrupted");
    }

    @Test
    @DisplayName("a handler that still thinks when the call has its answer is interrupted")
    void interruptsItsHandler() throws Exception {
        var interrupted = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        var request = call("ended");
        try (var client = PerigeeClient.connectWithEvents(kafka)) {
            client.call(
                    request,
                    LONG,
                    _ -> {},
                    _ -> {
                        done(request).forEach(gateway::publish);
                        try {
                            return never.await(2 * LONG.toSeconds(), TimeUnit.SECONDS) ? YES : null;
                        } catch (InterruptedException e) {
                            interrupted.countDown();
                            throw e;
                        }
                    });
        }
        assertThat(interrupted.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(responsesTo("ended")).isEmpty();
    }
}
