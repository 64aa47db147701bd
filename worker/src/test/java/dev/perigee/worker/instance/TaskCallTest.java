package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.event.EventBody.CallTask;
import dev.perigee.protocol.event.EventBody.Dormant;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.ServerQuestion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

@DisplayName("CAL-08: a call that becomes a task of its server, in both eras")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TaskCallTest {
    private static final String YES = "{\"action\":\"accept\",\"content\":{\"n\":1}}";
    private static final int NEVER = 1_000_000;
    private static final Map<String, String> SECRET = Map.of("API_KEY", "very-secret");

    private final InstanceBench bench = new InstanceBench();
    private final ServerConfig optional = InstanceBench.server("o", SECRET, "--tasks", "optional");
    private final ServerConfig required = InstanceBench.server("r", SECRET, "--tasks", "required");
    private final ServerConfig modern =
            InstanceBench.server("m", SECRET, "--era", "modern", "--tasks", "required");

    @BeforeAll
    void configure() {
        for (var server : List.of(optional, required, modern)) {
            bench.configure(server);
        }
    }

    @AfterAll
    void end() {
        bench.close();
    }

    private List<CallInputRequired> questions(ServerConfig config, ToolOrder.Execute of) {
        return bench.journal(config).all(CallInputRequired.class).stream()
                .filter(each -> each.requestId().equals(of.request().requestId()))
                .toList();
    }

    private static ToolOrder.Execute order(
            InstanceBench on,
            ServerConfig config,
            Map<String, ?> arguments,
            long timeoutMs,
            String... accepts) {
        var all = new HashMap<String, Object>(arguments);
        all.putIfAbsent("poll", 0);
        var plain =
                on.request(
                        config,
                        "tools/call",
                        config.serverSlug() + ":work",
                        all,
                        Duration.ofMillis(timeoutMs));
        var asks = List.of(accepts).contains("input");
        return InstanceBench.order(
                plain, accepting(plain.request(), accepts), asks ? 60_000L : null, null);
    }

    private static ToolRequest accepting(ToolRequest from, String... accepts) {
        return new ToolRequest(
                from.requestId(),
                from.teamId(),
                from.userId(),
                from.method(),
                from.toolPath(),
                null,
                from.arguments(),
                from.timeoutMs(),
                null,
                null,
                accepts.length == 0 ? null : List.of(accepts),
                null,
                null,
                null,
                null);
    }

    private ToolOrder.Execute begin(
            ServerConfig config, Map<String, ?> arguments, String... accepts) {
        var order = order(bench, config, arguments, 30_000, accepts);
        assertThat(bench.instances.execute(order).answered()).isNull();
        return order;
    }

    private static JsonNode told(ToolResult result) {
        assertThat(result.error()).isNull();
        assertThat(result.result()).isNotNull();
        var text = Json.tree(result.result().bytes()).at("/content/0/text").asString("");
        return Json.tree(RawJson.of(text).bytes());
    }

    private List<CallTask> states(ServerConfig config, ToolOrder.Execute of) {
        return bench.journal(config).all(CallTask.class).stream()
                .filter(each -> each.requestId().equals(of.request().requestId()))
                .toList();
    }

    private List<String> statuses(ServerConfig config, ToolOrder.Execute of) {
        return states(config, of).stream().map(CallTask::status).distinct().toList();
    }

    private void awaitState(ServerConfig config, ToolOrder.Execute of) {
        await().atMost(InstanceBench.PATIENCE).until(() -> !states(config, of).isEmpty());
    }

    /** The lines that a server read, about one task. */
    private List<String> read(ServerConfig config, String method, String taskId) {
        var lines = new ArrayList<String>();
        Json.tree(RawJson.of(bench.text(config, "record", Map.of())).bytes())
                .forEach(line -> lines.add(line.asString("")));
        return lines.stream()
                .filter(line -> line.contains("\"method\":\"" + method + "\""))
                .filter(line -> line.contains("\"taskId\":\"" + taskId + "\""))
                .toList();
    }

    private static @Nullable ErrorCode code(ToolResult result) {
        return result.error() == null ? null : result.error().code();
    }

    private static String message(ToolResult result) {
        assertThat(result.error()).isNotNull();
        return result.error().message();
    }

    @Test
    @DisplayName("its states are told, its result is the call's, once")
    void told() {
        for (var config : List.of(optional, modern)) {
            var call = begin(config, Map.of("polls", 3), "task");
            var result = bench.result(call);

            assertThat(result.outcome()).isEqualTo(ToolOutcome.SUCCESS);
            assertThat(told(result).path("seen").asInt(0)).isEqualTo(3);
            assertThat(statuses(config, call)).containsExactly("working", "completed");
            var last = states(config, call).getLast();
            assertThat(last.statusMessage()).isEqualTo("step 3 ***");
            assertThat(last.taskId()).startsWith("task-");
            assertThat(last.toolPath()).isEqualTo(config.serverSlug() + ":work");
            assertThat(bench.journal(config).results)
                    .filteredOn(each -> each.requestId().equals(call.request().requestId()))
                    .hasSize(1);
        }
        // Some of it is given back behind the answer.
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.journal(optional).expectedBytes.get() == 0);
    }

    @Test
    @DisplayName("who does not accept it has the result all the same, where it runs only so")
    void demanded() {
        assertThat(bench.text(optional, "work", Map.of())).isEqualTo("no task");
        for (var config : List.of(required, modern)) {
            var call = begin(config, Map.of());
            assertThat(told(bench.result(call)).path("seen").asInt(0)).isEqualTo(2);
            assertThat(states(config, call)).isEmpty();
        }
        bench.journal(required).protocol = LinkVersions.RESUMED_CALLS;
        var older = begin(required, Map.of(), "task");
        assertThat(told(bench.result(older)).path("seen").asInt(0)).isEqualTo(2);
        assertThat(states(required, older)).isEmpty();
        bench.journal(required).protocol = LinkVersions.SPOKEN.greatest();
    }

    @Test
    @DisplayName("its questions are those of its call, and who accepts none is told so")
    void asks() {
        for (var config : List.of(required, modern)) {
            int before = bench.journal(config).all(CallInputRequired.class).size();
            // A server that refuses the request for its question, or a response that it has.
            var call =
                    begin(config, Map.of("ask", true, "early", 1, "refuse", true), "task", "input");
            // A legacy question would be this call's, which was sent last, if it named no task.
            var other = begin(config, Map.of("polls", 4), "input");
            var question =
                    await().atMost(InstanceBench.PATIENCE)
                            .until(
                                    () -> bench.journal(config).all(CallInputRequired.class),
                                    all -> all.size() > before)
                            .get(before);
            assertThat(question.requestId()).isEqualTo(call.request().requestId());
            assertThat(question.requests().text()).contains("***").doesNotContain("very-secret");
            var name = config.equals(modern) ? "room" : "question";
            assertThat(code(respond(config, call, question.inputId(), name))).isNull();

            var result = told(bench.result(call));
            assertThat(result.at("/told/content/n").asInt(0)).isEqualTo(1);
            assertThat(statuses(config, call))
                    .containsSubsequence("working", "input_required", "completed");
            assertThat(told(bench.result(other)).path("seen").asInt(0)).isEqualTo(4);
        }
        var silent = begin(modern, Map.of("ask", true), "task");
        assertThat(message(bench.result(silent))).contains("accepts no questions");
        var refused = told(bench.result(begin(required, Map.of("ask", true), "task")));
        assertThat(refused.at("/told/error").asInt(0)).isEqualTo(-32601);
    }

    @Test
    @DisplayName("a question that the server takes back is over, and its task goes on")
    void takenBack() {
        for (var config : List.of(required, modern)) {
            var call =
                    begin(
                            config,
                            Map.of("ask", true, "back", 1, "early", 1, "polls", 3),
                            "task",
                            "input");
            assertThat(told(bench.result(call)).path("seen").asInt(0)).isEqualTo(3);
            var asked = questions(config, call);
            assertThat(asked).hasSize(config.equals(modern) ? 1 : 0);
            for (var question : asked) {
                assertThat(message(respond(config, call, question.inputId(), "room")))
                        .contains("withdrawn");
            }
        }
    }

    @Test
    @DisplayName("a modern question that one report lacks is asked anew")
    void askedAnew() {
        var call = begin(modern, Map.of("ask", true, "gone", 2, "polls", 3), "task", "input");
        await().atMost(InstanceBench.PATIENCE).until(() -> questions(modern, call).size() == 2);
        var asked = questions(modern, call);
        assertThat(message(respond(modern, call, asked.getFirst().inputId(), "room")))
                .contains("withdrawn");
        assertThat(code(respond(modern, call, asked.getLast().inputId(), "room"))).isNull();

        assertThat(told(bench.result(call)).at("/told/content/n").asInt(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("a legacy question that names a task is of that task's call, or of none")
    void namesItsTask() {
        var refuses =
                new CallInput.Outlet() {
                    @Override
                    public boolean publish(
                            CallInputRequired question,
                            @Nullable Long pid,
                            @Nullable HeldQuestion held) {
                        return false;
                    }

                    @Override
                    public void expired() {}

                    @Override
                    public void ended(String inputId, CallInput.Fate how) {}
                };
        var source =
                new CallQuestions.Source() {
                    @Override
                    public @Nullable McpClient client() {
                        return null;
                    }

                    @Override
                    public @Nullable Long pid() {
                        return null;
                    }

                    @Override
                    public UnaryOperator<String> mask() {
                        return UnaryOperator.identity();
                    }
                };
        try (var timers = Executors.newSingleThreadScheduledExecutor()) {
            var left = Duration.ofMinutes(1);
            var input =
                    new CallInput(
                            order(bench, required, Map.of(), 30_000, "input"),
                            60_000,
                            new CallDeadline(System.nanoTime(), left, null, left),
                            Instant::now,
                            timers,
                            refuses);
            var questions = new CallQuestions(source);
            questions.add(input);
            var unknown = asked(questions, "{\"taskId\":\"t1\"}");
            assertThat(unknown).isEqualTo(ServerQuestion.Refusal.NOT_FOUND);
            assertThat(asked(questions, "{}")).isNotEqualTo(ServerQuestion.Refusal.NOT_FOUND);

            var first = questions.remember("t1", null);
            var second = questions.remember("t1", input);
            questions.forget(first);
            assertThat(asked(questions, "{\"taskId\":\"t1\"}"))
                    .isNotEqualTo(ServerQuestion.Refusal.NOT_FOUND);
            questions.forget(second);
            assertThat(asked(questions, "{\"taskId\":\"t1\"}"))
                    .isEqualTo(ServerQuestion.Refusal.NOT_FOUND);
        }
    }

    private static ServerQuestion.@Nullable Refusal asked(CallQuestions of, String related) {
        var params = "{\"_meta\":{\"io.modelcontextprotocol/related-task\":%s}}".formatted(related);
        return of.asked(
                new ServerQuestion(RawJson.of("1"), ServerQuestion.ELICIT, RawJson.of(params)));
    }

    private ToolResult respond(
            ServerConfig config, ToolOrder.Execute to, String inputId, String name) {
        var plain = bench.request(config, "tools/list", null, null);
        var request =
                ToolRequest.respond(
                        plain.request().requestId(),
                        new RecordKey(config.teamId(), config.userId()),
                        to.request().requestId(),
                        inputId,
                        RawJson.of("{\"" + name + "\":" + YES + "}"),
                        null);
        return bench.perform(InstanceBench.order(plain, request, null, null));
    }

    @Test
    @DisplayName("a failure, and a cancellation by the server, end the call with its words")
    void fails() {
        for (var config : List.of(required, modern)) {
            var failed = begin(config, Map.of("end", "failed"), "task");
            var cancelled = begin(config, Map.of("end", "cancelled"), "task");

            var error = bench.result(failed).error();
            assertThat(error).isNotNull();
            assertThat(error.code()).isEqualTo(ErrorCode.SERVER_ERROR);
            assertThat(error.message()).isEqualTo("as ordered");
            assertThat(error.serverCode()).isEqualTo(-32055L);
            assertThat(statuses(config, failed)).containsExactly("working", "failed");
            assertThat(code(bench.result(cancelled))).isEqualTo(ErrorCode.SERVER_ERROR);
            assertThat(message(bench.result(cancelled))).contains("cancelled", "***");
        }
        // By the request for its question it told how it ended, and then forgot the task.
        var once = Map.of("ask", true, "end", "failed", "forget", true);
        assertThat(message(bench.result(begin(required, once, "task")))).isEqualTo("as ordered");
    }

    @Test
    @DisplayName("cancel, and the call's deadline, cancel it at its server")
    void ends() {
        var late = new HashMap<ServerConfig, ToolOrder.Execute>();
        for (var config : List.of(required, modern)) {
            var order = order(bench, config, Map.of("polls", NEVER), 15_000, "task");
            assertThat(bench.instances.execute(order).answered()).isNull();
            late.put(config, order);
        }
        for (var config : List.of(required, modern)) {
            var call = begin(config, Map.of("polls", NEVER), "task");
            awaitState(config, call);

            var cancellation =
                    new ToolOrder.Cancel(
                            1, call.request().requestId(), config.teamId(), config.userId());
            assertThat(bench.instances.cancel(cancellation).found()).isTrue();

            assertThat(code(bench.result(call))).isEqualTo(ErrorCode.CANCELLED);
            awaitCancelled(config, call);
        }
        late.forEach(
                (config, call) -> {
                    assertThat(code(bench.result(call))).isEqualTo(ErrorCode.TIMEOUT);
                    awaitCancelled(config, call);
                });
    }

    private void awaitCancelled(ServerConfig config, ToolOrder.Execute call) {
        var id = states(config, call).getFirst().taskId();
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> read(config, "tasks/cancel", id).size() == 1);
    }

    @Test
    @DisplayName("what a hostile server says of it is bounded, and ends at last")
    void hostile() {
        for (var config : List.of(required, modern)) {
            var another = begin(config, Map.of("id", "task-of-another"), "task");
            var dancing = begin(config, Map.of("status", "dancing"), "task");
            var large = begin(config, Map.of("bytes", 1 << 20, "poll", 0), "task");
            var flooded = begin(config, Map.of("flood", 10_000, "poll", -1e300), "task");
            var round = Map.of("resultType", "input_required", "requestState", "s");
            var asking = begin(config, Map.of("result", round), "task", "input");

            assertThat(message(bench.result(asking))).contains("asks something");
            assertThat(code(bench.result(asking))).isEqualTo(ErrorCode.SERVER_ERROR);
            assertThat(message(bench.result(another))).contains("another task");
            assertThat(message(bench.result(dancing))).contains("does not know");
            assertThat(told(bench.result(large)).path("seen").asInt(0)).isEqualTo(2);
            assertThat(states(config, large))
                    .allSatisfy(
                            state -> assertThat(state.statusMessage()).isNotNull().hasSize(1_000));
            assertThat(told(bench.result(flooded)).path("seen").asInt(0)).isEqualTo(2);
            assertThat(states(config, flooded)).hasSizeLessThan(5);
            assertThat(statuses(config, flooded)).containsExactly("working", "completed");
        }
    }

    @Test
    @DisplayName("a backend gets, lists and cancels tasks by hand")
    void byHand() {
        for (var config : List.of(optional, modern)) {
            var call = begin(config, Map.of("polls", NEVER), "task");
            awaitState(config, call);
            var id = states(config, call).getFirst().taskId();
            // Of what the server said of a task that runs on, nothing is kept.
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> bench.journal(config).expectedBytes.get() == 0);

            assertThat(text(config, "tasks/get", Map.of("taskId", id))).contains("\"working\"");
            assertThat(text(config, "tasks/list", Map.of())).contains("\"" + id + "\"");
            assertThat(text(config, "tasks/cancel", Map.of("taskId", id)))
                    .contains("\"cancelled\"");
            assertThat(code(bench.result(call))).isEqualTo(ErrorCode.SERVER_ERROR);
            var none = bench.perform(byHand(config, "tasks/get", Map.of("taskId", Map.of())));
            assertThat(code(none)).isEqualTo(ErrorCode.INVALID_REQUEST);
        }
    }

    private ToolOrder.Execute byHand(ServerConfig config, String method, Map<String, ?> arguments) {
        return bench.request(config, method, config.serverSlug(), arguments);
    }

    private String text(ServerConfig config, String method, Map<String, ?> arguments) {
        var result = bench.perform(byHand(config, method, arguments)).result();
        assertThat(result).isNotNull();
        return result.text();
    }

    @Test
    @DisplayName("it keeps its server awake, and ends with its process")
    void staysAwake() {
        var ahead = new AtomicReference<>(Duration.ZERO);
        try (var quick =
                new InstanceBench(
                        Map.of(
                                "idle.timeout", "1h",
                                "idle.check-interval", "50ms",
                                "idle.grace", "0s"),
                        () -> Instant.now().plus(ahead.get()))) {
            quick.configure(required);
            var call = order(quick, required, Map.of("polls", NEVER, "poll", 1e300), 30_000);
            var order = InstanceBench.order(call, accepting(call.request(), "task"), null, null);
            assertThat(quick.instances.execute(order).answered()).isNull();
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> !quick.journal(required).all(CallTask.class).isEmpty());
            ahead.set(Duration.ofHours(2));
            var since = System.nanoTime();
            await().atMost(InstanceBench.PATIENCE)
                    .until(() -> System.nanoTime() - since > Duration.ofSeconds(1).toNanos());
            assertThat(quick.journal(required).all(Dormant.class)).isEmpty();

            quick.call(required, "crash", Map.of("code", 3));

            assertThat(code(quick.result(order))).isEqualTo(ErrorCode.CRASHED);
        }
    }
}
