package dev.perigee.worker.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.instance.InstanceIdentity;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A result and its entry, written by hand")
final class PlainResultsTest {
    private static final InstanceIdentity ABOUT = InstanceIdentity.of(0, 1, Orders.config("i1"));
    private static final List<String> TEXTS =
            List.of(
                    "plain",
                    "",
                    "s|file://a/b?c=<d>&e='f'",
                    "quote \" and \\",
                    "tab\t, line\n, bell\u0007, del\u007F",
                    "ünïcödé",
                    "😀",
                    "a\u2028b",
                    "x".repeat(5_000));
    private static final List<String> VALUES =
            List.of(
                    "{}",
                    "null",
                    "{\"content\":[{\"type\":\"text\",\"text\":\"ü \\\" \\u0000 😀\"}],\"isError\":true}",
                    "{\"structuredContent\":{\"a\":[1.50,{\"b\":null}],\"request_id\":\"forged\"},\n\t\"x\": [ ] }",
                    "{\"a\":" + "[".repeat(150) + "]".repeat(150) + "}",
                    "{\"text\":\"" + "y".repeat(100_000) + "\"}");

    private final EventFrames frames = new EventFrames("w-1", Clock.systemUTC());

    private static List<ToolResult> results() {
        var all = new ArrayList<ToolResult>();
        for (var text : TEXTS) {
            all.add(result(text.isEmpty() ? "r" : text, "p", "s:t", RawJson.of("{}"), 1, 0));
            all.add(result("r", text, "s:t", RawJson.of("{}"), 0, 1));
            all.add(result("r", null, text, RawJson.of("{}"), Integer.MAX_VALUE, Long.MAX_VALUE));
        }
        for (var value : VALUES) {
            all.add(result("r", "p", null, RawJson.of(value), 10, 99));
        }
        all.add(result("r", "p", "s:t", null, -1, Long.MIN_VALUE));
        all.add(
                all.getFirst()
                        .failed(
                                ToolError.of(ErrorCode.TIMEOUT, "it's \"late\"", null)
                                        .ofServer(-1L, RawJson.of("[1]"))));
        return all;
    }

    private static ToolResult result(
            String requestId,
            @Nullable String processId,
            @Nullable String toolPath,
            @Nullable RawJson result,
            int attempts,
            long durationMs) {
        return new ToolResult(
                ToolResult.EVENT,
                requestId,
                attempts == 0 ? null : "t",
                "u",
                processId,
                toolPath,
                attempts > 1 ? ToolOutcome.TOOL_ERROR : ToolOutcome.SUCCESS,
                result,
                null,
                attempts,
                durationMs,
                Instant.ofEpochMilli(1_700_000_000_123L + attempts));
    }

    @Test
    @DisplayName("a result has the bytes that the mapper writes")
    void writesResults() {
        int plain = 0;
        for (var result : results()) {
            plain += PlainResults.result(result) == null ? 0 : 1;
            assertThat(frames.result(result).text()).isEqualTo(Json.raw(result).text());
        }
        assertThat(plain).isGreaterThan(10);
    }

    @Test
    @DisplayName("an entry has the bytes that the mapper writes, with any reply address and trace")
    void writesEntries() {
        for (var text : TEXTS) {
            for (var reply : replies(text)) {
                for (var value : VALUES) {
                    var order = order(text, reply, reply == null ? null : text);
                    var data = RawJson.of(value);
                    assertThat(new String(frames.result(ABOUT, 7, order, data), UTF_8))
                            .isEqualTo(
                                    new String(EventFrames.written(ABOUT, 7, order, data), UTF_8));
                }
            }
        }
        assertThat(PlainResults.entry(ABOUT, 0, order("r", null, null), RawJson.EMPTY_OBJECT))
                .isNotNull();
    }

    @Test
    @DisplayName(
            "a field that is added to their records is added to PlainResults and PlainOrders, too")
    void hasEachField() {
        assertThat(
                        Stream.of(
                                        ToolResult.class,
                                        InstanceEvent.class,
                                        ReplyTo.class,
                                        RecordOrigin.class)
                                .map(type -> type.getRecordComponents().length))
                .containsExactly(12, 12, 3, 3);
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private static List<@Nullable ReplyTo> replies(String text) {
        var all = new ArrayList<@Nullable ReplyTo>();
        all.add(null);
        all.add(new ReplyTo(text, null, null));
        all.add(new ReplyTo("replies", 0, new byte[0]));
        all.add(new ReplyTo("replies", 12, new byte[] {0, -1, 7, 62, 63, 127}));
        all.add(new ReplyTo("replies", 12, text.getBytes(UTF_8)));
        return all;
    }

    @SuppressWarnings("NullAway") // As above.
    private static ToolOrder.Execute order(
            String requestId, @Nullable ReplyTo reply, @Nullable String traceparent) {
        var request =
                new ToolRequest(
                        isId(requestId) ? requestId : "r",
                        "t",
                        "u",
                        "tools/call",
                        "s:t",
                        null,
                        null,
                        null,
                        null,
                        null);
        return new ToolOrder.Execute(
                3,
                new RecordOrigin("mcp.tool-requests", 3, 5L << 32),
                "p",
                request,
                Instant.EPOCH,
                reply,
                traceparent,
                null);
    }

    private static boolean isId(String text) {
        return !text.isBlank()
                && text.length() < 100
                && text.chars().noneMatch(c -> c == '/' || Character.isISOControl(c));
    }
}
