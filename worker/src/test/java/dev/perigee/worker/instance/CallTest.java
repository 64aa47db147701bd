package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.Signals;
import dev.perigee.protocol.command.CommandAction.Check;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.ServerSettings;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of all kinds, against a real server. */
final class CallTest {
    private final InstanceBench bench = new InstanceBench();

    @AfterEach
    void end() {
        bench.close();
    }

    private static ErrorCode code(ToolResult result) {
        assertThat(result.outcome()).isEqualTo(ToolOutcome.FAILED);
        assertThat(result.error()).isNotNull();
        return result.error().code();
    }

    @Test
    @DisplayName("PRO-39, PRO-40: concurrent calls get their own answers, in any order")
    void answersConcurrentCalls() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var slow = bench.request(config, "tools/call", "slug-a:sleep", Map.of("ms", 300));
        assertThat(bench.instances.execute(slow).answered()).isNull();
        var orders = new ArrayList<ToolOrder.Execute>();
        for (int i = 0; i < 200; i++) {
            var order =
                    bench.request(config, "tools/call", "slug-a:echo", Map.of("message", "é" + i));
            assertThat(bench.instances.execute(order).answered()).isNull();
            orders.add(order);
        }

        for (int i = 0; i < orders.size(); i++) {
            var result = bench.result(orders.get(i)).result();
            assertThat(result).isNotNull();
            assertThat(Json.tree(result.bytes()).at("/content/0/text").asString())
                    .isEqualTo("é" + i);
        }
        var last = bench.result(slow);
        assertThat(last.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(last.attempts()).isEqualTo(1);
        assertThat(last.durationMs()).isGreaterThanOrEqualTo(290);
        await().until(() -> bench.snapshot(config).activeRequests() == 0);
        assertThat(bench.snapshot(config).messageCount()).isEqualTo(201 + 3);
    }

    @Test
    @DisplayName("CAL-11: code and data of a server's error reach the backend, without secrets")
    void keepsErrorsOfServers() {
        var config = InstanceBench.server("a", Map.of("API_KEY", "secret-\"4711\""));
        bench.configure(config);

        var url = Map.of("elicitations", List.of(Map.of("url", "https://example.org/pay?id=7")));
        var asked = bench.call(config, "rpc_error", Map.of("code", -32042, "data", url));
        var leaking = bench.call(config, "rpc_error", Map.of("data", Map.of("env", "API_KEY")));

        assertThat(asked.error()).isNotNull();
        assertThat(asked.error().code()).isEqualTo(ErrorCode.SERVER_ERROR);
        assertThat(asked.error().serverCode()).isEqualTo(-32042);
        assertThat(asked.error().data()).isEqualTo(Json.raw(url));
        assertThat(leaking.error()).isNotNull();
        assertThat(leaking.error().data())
                .isEqualTo(RawJson.of("{\"env\":\"***\",\"of\":\"the server\"}"));
    }

    @Test
    @DisplayName("PRO-46, REC-31, STA-46: what the server or the user refuses")
    void tellsErrorsApart() {
        var config = InstanceBench.server("a");
        bench.configure(config);

        var toolError = bench.call(config, "fail", Map.of());
        assertThat(toolError.outcome()).isEqualTo(ToolOutcome.TOOL_ERROR);
        assertThat(toolError.result()).isNotNull();
        var serverError = bench.call(config, "rpc_error", Map.of());
        assertThat(code(serverError)).isEqualTo(ErrorCode.SERVER_ERROR);
        assertThat(serverError.error()).isNotNull();
        assertThat(serverError.error().message()).isEqualTo("as ordered");
        assertThat(serverError.error().data()).isNull();
        assertThat(code(bench.call(config, "nothing", Map.of()))).isEqualTo(ErrorCode.UNKNOWN_TOOL);
        assertThat(code(bench.call(InstanceBench.server("b"), "echo", Map.of())))
                .isEqualTo(ErrorCode.UNKNOWN_SERVER);
        assertThat(code(bench.perform(bench.request(config, "tools/call", "slug-a", Map.of()))))
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(
                        code(
                                bench.perform(
                                        bench.request(
                                                config, "tools/call", "slug-a:echo", List.of()))))
                .isEqualTo(ErrorCode.INVALID_REQUEST);

        var order = bench.order(config.processId());
        bench.settle(bench.instances.switchTool(InstanceBench.switchTool(order, "echo", true)));
        assertThat(code(bench.call(config, "echo", Map.of("message", "x"))))
                .isEqualTo(ErrorCode.TOOL_DISABLED);
        order = bench.order(config.processId());
        bench.settle(bench.instances.switchTool(InstanceBench.switchTool(order, "echo", false)));
        assertThat(bench.text(config, "echo", Map.of("message", "x"))).isEqualTo("x");

        assertThat(bench.journal(config).statuses()).hasSize(5).endsWith(ServerStatus.ONLINE);
    }

    @Test
    @DisplayName("PRO-43, PRO-44: a timeout cleans up, the late answer is ignored")
    void timesOut() throws Exception {
        var config = InstanceBench.server("a");
        bench.configure(config);
        long pid = Objects.requireNonNull(bench.snapshot(config).pid());
        Signals.send(pid, "STOP"); // Whatever stands still meanwhile, no answer is in time.
        var late = bench.call(config, "echo", Map.of("message", "late"), Duration.ofSeconds(3));
        Signals.send(pid, "CONT");

        assertThat(code(late)).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(late.error()).isNotNull();
        assertThat(late.error().message()).startsWith("Request timeout");
        assertThat(bench.text(config, "echo", Map.of("message", "next"))).isEqualTo("next");
        await().until(
                        () ->
                                bench.text(config, "record", Map.of())
                                        .contains("notifications/cancelled"));
        await().until(() -> bench.snapshot(config).activeRequests() == 0);
    }

    @Test
    void cancels() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var order = bench.request(config, "tools/call", "slug-a:sleep", Map.of("ms", 60_000));
        bench.instances.execute(order);
        var cancel = new ToolOrder.Cancel(1, order.request().requestId(), "t1", InstanceBench.USER);

        assertThat(bench.instances.cancel(cancel).found()).isTrue();

        assertThat(code(bench.result(order))).isEqualTo(ErrorCode.CANCELLED);
        await().until(() -> !bench.instances.cancel(cancel).found());
    }

    @Test
    @DisplayName("STA-22, PRO-31: a call waits for a server in transition, bounded")
    void waitsForTransition() {
        var config = InstanceBench.server("a", "--slow-init", "700");
        bench.submit(config, Cause.CREATED);
        await().until(() -> bench.instances.describe(config.processId()) != null);

        var served = bench.call(config, "echo", Map.of("message", "x"));
        assertThat(served.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        var read = new ArrayList<String>();
        Json.tree(bench.text(config, "record", Map.of()).getBytes(StandardCharsets.UTF_8))
                .forEach(line -> read.add(method(line.asString())));
        assertThat(read).startsWith("initialize", "notifications/initialized");
        assertThat(read).contains("tools/call");
    }

    @Test
    @DisplayName("STA-22: no call waits for longer than that, nor beyond its deadline")
    void waitsBounded() {
        try (var hasty = new InstanceBench(Map.of("tool.transition-wait", "1s"))) {
            var mute = InstanceBench.server("m", "--mute");
            hasty.submit(mute, Cause.CREATED);
            await().until(() -> hasty.instances.describe(mute.processId()) != null);
            assertThat(code(hasty.call(mute, "echo", Map.of(), Duration.ofMillis(300))))
                    .isEqualTo(ErrorCode.EXPIRED);
            assertThat(code(hasty.call(mute, "echo", Map.of(), Duration.ofSeconds(8))))
                    .isEqualTo(ErrorCode.UNAVAILABLE);
        }
    }

    /** Of a message that a server read. */
    private static String method(String line) {
        return Json.tree(line.getBytes(StandardCharsets.UTF_8)).path("method").asString("");
    }

    @Test
    void refusesWhenTheJournalIsFull() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        bench.journal(config).full = true;

        assertThat(code(bench.call(config, "echo", Map.of()))).isEqualTo(ErrorCode.OVERLOADED);
    }

    @Test
    @DisplayName("PRO-103: nobody reaches another user's server")
    void keepsUsersApart() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var order = bench.request(config, "tools/call", "slug-a:pid", Map.of());
        var request = order.request();
        var stranger =
                new ToolRequest(
                        "r-x",
                        "t1",
                        "u2",
                        request.method(),
                        request.toolPath(),
                        null,
                        null,
                        null,
                        null,
                        null);
        @SuppressWarnings("NullAway") // It does not see that ReplyTo, a nested type, may be null.
        var forged =
                new ToolOrder.Execute(
                        1,
                        order.origin(),
                        config.processId(),
                        stranger,
                        order.deadline(),
                        null,
                        null,
                        null);

        assertThat(code(bench.perform(forged))).isEqualTo(ErrorCode.FORBIDDEN);
    }

    @Test
    @DisplayName(
            "PRO-38, PRO-42: garbage is skipped and logged, a changed list is discovered again")
    void livesWithWhatServersDo() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        long pid = bench.pid(config);

        assertThat(bench.text(config, "garbage", Map.of())).isEqualTo("after");
        assertThat(bench.pid(config)).isEqualTo(pid);
        bench.call(config, "tools_set", Map.of("names", List.of("echo", "pid", "new")));
        var journal = bench.journal(config);
        await().until(() -> !journal.all(EventBody.ToolsUpdated.class).isEmpty());

        var updated = journal.all(EventBody.ToolsUpdated.class).getFirst();
        assertThat(updated.added()).containsExactly("new");
        assertThat(updated.removed()).contains("args").doesNotContain("echo");
        assertThat(updated.toolCount()).isEqualTo(3);
        assertThat(journal.statuses()).hasSize(5);
        await().until(() -> journal.lines().stream().anyMatch(l -> l.contains("not JSON-RPC")));
    }

    @Test
    @DisplayName("an answer that cannot be read ends its call at once")
    void tellsAnUnreadableAnswer() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var result = bench.perform(bench.request(config, "prompts/get", "slug-a:deep", Map.of()));
        assertThat(code(result)).isEqualTo(ErrorCode.SERVER_ERROR);
        assertThat(bench.text(config, "echo", Map.of("message", "x"))).isEqualTo("x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "yes '{' ", "yes error >&2", "tr '\\0' ' ' </dev/zero"})
    @DisplayName("a server that floods its output does not hold up another")
    void floodsHarmNobody(String flood) {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var noisy =
                InstanceBench.program(
                        "n", TransportType.STDIO, "sh", List.of("-c", flood), Map.of(), 60_000L);
        var alone = thirtyCalls(config);
        bench.submit(noisy, Cause.CREATED);
        await().until(() -> bench.instances.describe(noisy.processId()) != null);
        assertThat(thirtyCalls(config)).isLessThan(alone.plusSeconds(6));
    }

    private Duration thirtyCalls(ServerConfig config) {
        long start = System.nanoTime();
        for (int i = 0; i < 30; i++) {
            assertThat(bench.text(config, "echo", Map.of("message", "m" + i))).isEqualTo("m" + i);
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    @DisplayName("STA-08, STA-16: lists and searches the tools of servers that are online")
    void listsTools() {
        bench.configure(InstanceBench.server("a"));
        var down = InstanceBench.server("b", "--die", "x");
        bench.configure(down);

        var listing = bench.perform(bench.request(down, "tools/list", null, null)).result();

        assertThat(listing).isNotNull();
        var tree = Json.tree(listing.bytes());
        assertThat(tree.path("tool_count").asInt()).isEqualTo(14);
        assertThat(tree.at("/tools/0/tool_path").asString()).isEqualTo("slug-a:echo");
        var resources =
                bench.perform(bench.request(down, "resources/list", "slug-a", null)).result();
        assertThat(resources).isNotNull();
        assertThat(resources.text()).contains("x://y");
    }

    @Test
    @DisplayName("REC-53, STA-36: a failed discovery is an error, the next good call recovers")
    void recovers() {
        var config = InstanceBench.server("a", "--list-error-once");
        var outcome = bench.configure(config);
        assertThat(outcome.error()).isNotNull();
        assertThat(outcome.error().message()).contains("no list today");
        var journal = bench.journal(config);
        assertThat(journal.statuses()).endsWith(ServerStatus.ERROR);

        assertThat(bench.text(config, "echo", Map.of("message", "x"))).isEqualTo("x");

        await().until(() -> journal.statuses().getLast() == ServerStatus.ONLINE);
        assertThat(journal.statuses())
                .containsSubsequence(
                        ServerStatus.ERROR,
                        ServerStatus.CONNECTING,
                        ServerStatus.DISCOVERING_TOOLS,
                        ServerStatus.SYNCING_TOOLS,
                        ServerStatus.ONLINE);
    }

    @Test
    @DisplayName("PRO-92, PRO-98, PRO-101, PRO-102: logs are cut, masked and told; so are requests")
    void logs() {
        var config = InstanceBench.server("a", Map.of("API_KEY", "top-secret-value"));
        bench.configure(config);

        bench.call(
                config,
                "stderr",
                Map.of("text", "ERROR with top-secret-value\n\n  second\nwithout end"));
        bench.call(config, "rpc_error", Map.of());
        var journal = bench.journal(config);
        await().until(() -> journal.lines().size() >= 2);
        await().until(
                        () ->
                                journal.all(EventBody.RequestLogs.class).stream()
                                                .mapToInt(event -> event.requests().size())
                                                .sum()
                                        == 2);

        assertThat(journal.lines()).startsWith("ERROR with ***", "  second");
        var line = journal.all(EventBody.Logs.class).getFirst().logs().getFirst();
        assertThat(line.level()).isEqualTo("error");
        assertThat(line.metadata()).containsEntry("process_id", config.processId());
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ONLINE);
        var requests =
                journal.all(EventBody.RequestLogs.class).stream()
                        .flatMap(event -> event.requests().stream())
                        .toList();
        assertThat(requests)
                .extracting(EventBody.RequestLog::toolName)
                .containsExactly("stderr", "rpc_error");
        assertThat(requests).extracting(EventBody.RequestLog::success).containsExactly(true, false);
    }

    @Test
    @DisplayName("PRO-101: calls are not reported where their installation switches that off")
    void reportsNoRequestsWhereSwitchedOff() {
        var loud = InstanceBench.server("loud");
        var quiet =
                new ServerConfigBuilder(
                                "quiet",
                                "slug-quiet",
                                new Owner("t1", "acme", InstanceBench.USER, "alice"),
                                TransportType.STDIO,
                                "node",
                                loud.args())
                        .settings(new ServerSettings(false, null))
                        .build();
        for (var config : List.of(quiet, loud)) {
            bench.configure(config);
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        }

        // The other's call was the later one.
        await().until(() -> !bench.journal(loud).all(EventBody.RequestLogs.class).isEmpty());
        bench.instances.terminateAll(Duration.ofSeconds(10)); // Sends what is left.
        assertThat(bench.journal(quiet).all(EventBody.RequestLogs.class)).isEmpty();
    }

    @Test
    @DisplayName("PRO-37: large results pass, larger ones are refused and harm nobody")
    void passesLargeResults() {
        var config = InstanceBench.server("a");
        bench.configure(config);

        var large = bench.call(config, "big", Map.of("bytes", 10_000_000));
        assertThat(large.result()).isNotNull();
        assertThat(large.result().size()).isGreaterThan(10_000_000);
        var larger = bench.call(config, "big", Map.of("bytes", 16_800_000));
        assertThat(code(larger)).isEqualTo(ErrorCode.TOO_LARGE);
        var skipped = bench.call(config, "big", Map.of("bytes", 18_000_000));
        assertThat(code(skipped)).isEqualTo(ErrorCode.TOO_LARGE);

        assertThat(bench.text(config, "echo", Map.of("message", "x"))).isEqualTo("x");
    }

    @Test
    void stopsReadingWhileTheJournalIsFull() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var valve = bench.journal(config).valve;
        assertThat(valve).isNotNull();

        valve.pause();
        var order = bench.request(config, "tools/call", "slug-a:pid", Map.of());
        bench.instances.execute(order);
        await().during(Duration.ofMillis(300))
                .until(() -> bench.snapshot(config).activeRequests() == 1);
        valve.resume();

        assertThat(bench.result(order).outcome()).isEqualTo(ToolOutcome.SUCCESS);
    }

    @Test
    @DisplayName("STA-34, STA-35, PRO-87: health checks of a process")
    void checksHealth() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        assertThat(bench.snapshot(config).health()).isEqualTo("unknown");

        var connectivity =
                bench.settle(
                        bench.instances.checkHealth(
                                new InstanceOrder.HealthCheck(
                                        bench.order(config.processId()), Check.CONNECTIVITY)));
        assertThat(connectivity.details()).isNotNull();
        assertThat(connectivity.details().health()).isEqualTo("healthy");
        assertThat(connectivity.details().responseTimeMs()).isNotNull();
        assertThat(bench.snapshot(config).health()).isEqualTo("healthy");
        var credentials =
                bench.settle(
                        bench.instances.checkHealth(
                                new InstanceOrder.HealthCheck(
                                        bench.order(config.processId()),
                                        Check.CREDENTIAL_VALIDATION)));
        assertThat(credentials.details()).isNotNull();
        assertThat(credentials.details().note()).isEqualTo("skipped");
        assertThat(bench.journal(config).statuses()).hasSize(5);
    }

    @Test
    @DisplayName(
            "FLT-10 health checks end in their order: while a server is asked the next ones wait")
    void checksHealthInOrder() throws Exception {
        var config = InstanceBench.server("a");
        bench.configure(config);
        long pid = Objects.requireNonNull(bench.snapshot(config).pid());
        long asked = bench.snapshot(config).messageCount();

        Signals.send(pid, "STOP");
        var first = checkHealth(config);
        await().until(() -> bench.snapshot(config).messageCount() == asked + 1);
        var second = checkHealth(config);
        var third = checkHealth(config);
        await().during(Duration.ofMillis(500)) // The server's silence itself.
                .until(() -> bench.snapshot(config).messageCount() == asked + 1);
        Signals.send(pid, "CONT");

        assertThat(tookMs(first)).isGreaterThanOrEqualTo(400);
        assertThat(tookMs(third)).as("by the same ping").isEqualTo(tookMs(second));
        assertThat(bench.snapshot(config).messageCount()).isEqualTo(asked + 2);
    }

    private PendingOutcome checkHealth(ServerConfig config) {
        return bench.instances.checkHealth(
                new InstanceOrder.HealthCheck(bench.order(config.processId()), Check.CONNECTIVITY));
    }

    private long tookMs(PendingOutcome check) {
        var details = Objects.requireNonNull(bench.settle(check).details());
        return Objects.requireNonNull(details.responseTimeMs());
    }
}
