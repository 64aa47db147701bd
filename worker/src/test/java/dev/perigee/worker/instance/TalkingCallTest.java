package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.CallLog;
import dev.perigee.protocol.event.EventBody.CallProgress;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls during which a real server says something. */
final class TalkingCallTest {
    private final InstanceBench bench = new InstanceBench();

    @AfterEach
    void end() {
        bench.close();
    }

    /** What of a request the tests choose. */
    private record Wish(
            List<String> accepts,
            @Nullable String meta,
            @Nullable String logLevel,
            @Nullable Long extendMs,
            long timeoutMs,
            long maxTimeoutMs) {
        static Wish of(String... accepts) {
            return new Wish(List.of(accepts), null, null, null, 20_000, 20_000);
        }
    }

    private ToolResult call(ServerConfig config, Map<String, ?> arguments, Wish wish) {
        return call(config, "talk", arguments, wish);
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private ToolResult call(ServerConfig config, String tool, Map<String, ?> arguments, Wish wish) {
        var plain =
                bench.request(config, "tools/call", config.serverSlug() + ":" + tool, arguments);
        var from = plain.request();
        var request =
                new ToolRequest(
                        from.requestId(),
                        from.teamId(),
                        from.userId(),
                        from.method(),
                        from.toolPath(),
                        null,
                        from.arguments(),
                        wish.timeoutMs(),
                        null,
                        null,
                        wish.accepts(),
                        wish.meta() == null ? null : RawJson.of(wish.meta()),
                        wish.logLevel(),
                        wish.extendMs(),
                        wish.maxTimeoutMs());
        var now = Instant.now();
        return bench.perform(
                new ToolOrder.Execute(
                        plain.partition(),
                        plain.origin(),
                        plain.processId(),
                        request,
                        now.plusMillis(wish.timeoutMs()),
                        null,
                        null,
                        null,
                        now.plusMillis(wish.maxTimeoutMs()),
                        null,
                        null,
                        null));
    }

    private <T extends EventBody> List<T> told(ServerConfig config, Class<T> type) {
        return bench.journal(config).all(type);
    }

    private static String dataOf(CallLog log) {
        assertThat(log.data()).isNotNull();
        return log.data().text();
    }

    private static String text(ToolResult result) {
        assertThat(result.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(result.result()).isNotNull();
        return Json.tree(result.result().bytes()).at("/content/0/text").asString();
    }

    @Test
    @DisplayName("CAL-01: progress is told, newest last, before the result, to who accepts it")
    void tellsProgress() {
        var config = InstanceBench.server("a", "--talk");
        bench.configure(config);

        var arguments = Map.of("n", 50, "ms", 5, "message", "going");
        var accepted = call(config, arguments, Wish.of("progress"));

        assertThat(text(accepted)).isEqualTo("token");
        var told = told(config, CallProgress.class);
        assertThat(told).extracting(CallProgress::progress).isSorted().endsWith(50.0);
        assertThat(told).hasSizeLessThan(50);
        assertThat(told.getFirst())
                .isEqualTo(new CallProgress(accepted.requestId(), "slug-a:talk", 1, 50.0, "going"));
    }

    @Test
    @DisplayName("CAL-01: without accepts there is no token, and nothing is told")
    void asksForNothing() {
        var config = InstanceBench.server("a", "--talk");
        bench.configure(config);

        var arguments = Map.of("n", 3, "logs", List.of("x"));
        assertThat(text(call(config, arguments, Wish.of()))).isEqualTo("no token");
        assertThat(text(call(config, arguments, Wish.of("log")))).isEqualTo("no token");

        assertThat(told(config, CallProgress.class)).isEmpty();
        assertThat(told(config, CallLog.class)).hasSize(1);
    }

    @Test
    @DisplayName("CAL-02: progress keeps a call alive beyond its timeout")
    void keepsAlive() {
        var config = InstanceBench.server("a", "--talk");
        bench.configure(config);
        var wish = new Wish(List.of("progress"), null, null, 20_000L, 3_000, 60_000);

        var result = call(config, Map.of("n", 5, "ms", 800), wish);

        assertThat(text(result)).isEqualTo("token");
        assertThat(result.durationMs()).isGreaterThan(3_000);
    }

    @Test
    @DisplayName("CAL-02: max_timeout_ms ends it, whatever its server reports")
    void endsAtLast() {
        var config = InstanceBench.server("a", "--talk");
        bench.configure(config);
        var wish = new Wish(List.of("progress"), null, null, 20_000L, 2_500, 3_500);

        var result = call(config, Map.of("n", 10_000, "ms", 20), wish);

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(result.durationMs()).isBetween(3_400L, 18_000L);
    }

    @Test
    @DisplayName("CAL-02: a server that falls silent is waited for no longer than the extension")
    void endsInSilence() {
        var config = InstanceBench.server("a", "--talk");
        bench.configure(config);
        var wish = new Wish(List.of("progress"), null, null, 500L, 300, 60_000);

        var result = call(config, Map.of("n", 1, "after", 50_000), wish);

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(result.durationMs()).isLessThan(30_000);
    }

    @Test
    @DisplayName("CAL-03: messages are call log for who accepts it, and lines of the log")
    void tellsMessages() {
        var config = InstanceBench.server("a", Map.of("API_KEY", "very-secret"), "--talk");
        bench.configure(config);

        call(
                config,
                Map.of("logs", List.of("one\nline", "very-secret"), "level", "error"),
                Wish.of("log"));
        awaitLines(config, 2); // More at once than the log's rate would be dropped.
        call(config, Map.of("logs", List.of(Map.of("a", 1))), Wish.of());

        assertThat(told(config, CallLog.class))
                .extracting(CallLog::level, CallLog::logger, TalkingCallTest::dataOf)
                .containsExactly(
                        tuple("error", "talk", "\"one\\nline\""),
                        tuple("error", "talk", "\"***\""));
        awaitLines(config, 3);
        assertThat(bench.journal(config).lines())
                .containsExactly("talk: one line", "talk: ***", "talk: {\"a\":1}");
    }

    private void awaitLines(ServerConfig config, int count) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> bench.journal(config).lines().size() == count);
    }

    @Test
    @DisplayName("CAL-03: a server that can is asked for the level, once")
    void asksForTheLevel() {
        var config = InstanceBench.server("a", "--talk", "--logging");
        bench.configure(config);
        var wish = new Wish(List.of("log"), null, "debug", null, 20_000, 20_000);

        call(config, Map.of(), wish);
        call(config, Map.of(), wish);

        var seen = text(bench.call(config, "record", Map.of()));
        assertThat(seen.split("logging/setLevel", -1)).hasSize(2);
        assertThat(seen).contains("{\\\"level\\\":\\\"debug\\\"}");
    }

    @Test
    @DisplayName("CAL-01: meta is part of _meta")
    void passesMeta() {
        var config = InstanceBench.server("a", "--talk");
        bench.configure(config);
        var wish = new Wish(List.of(), "{\"com.example/a\": 1.50}", null, null, 20_000, 20_000);

        assertThat(text(call(config, "record", Map.of(), wish)))
                .contains(",\\\"com.example/a\\\": 1.50}");
    }

    @Test
    @DisplayName("CAL-01: a server that reports without end is bounded, and other calls go on")
    void isBounded() {
        var config = InstanceBench.server("a", "--talk");
        bench.configure(config);
        var wish = new Wish(List.of("progress", "log"), null, null, null, 4_000, 4_000);

        var result = call(config, Map.of("n", 1_000_000), wish);

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(told(config, CallProgress.class)).hasSizeBetween(2, 200);
        assertThat(bench.text(config, "echo", Map.of("message", "x"))).isEqualTo("x");
    }
}
