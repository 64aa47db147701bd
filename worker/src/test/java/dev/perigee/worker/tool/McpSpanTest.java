package dev.perigee.worker.tool;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.mcp.ServerInfo;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("OPS-17: span of a request to a server, by the conventions of MCP")
final class McpSpanTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String GATEWAY = "b7ad6b7169203331";
    private static final ToolResults.Effort ONCE = new ToolResults.Effort(1, 5, Instant.EPOCH);

    @RegisterExtension static final OpenTelemetryExtension SPANS = OpenTelemetryExtension.create();

    private static ToolOrder.Execute order(ToolMethod method, String path) {
        var request =
                new ToolRequest(
                        "r-1",
                        "t",
                        "u",
                        method.wireName(),
                        path,
                        null,
                        RawJson.of("{\"password\":\"hush\"}"),
                        1000L,
                        null,
                        null);
        return new ToolOrder.Execute(
                1,
                new RecordOrigin("mcp.tool-requests", 1, 5),
                "p-1",
                request,
                Instant.EPOCH,
                null,
                "00-" + TRACE + "-" + GATEWAY + "-01",
                null,
                null,
                null,
                "a=1",
                null);
    }

    private static ServerInfo info(@Nullable String protocolVersion) {
        return new ServerInfo(
                "n",
                "v",
                protocolVersion,
                true,
                false,
                false,
                false,
                false,
                new ServerInfo.Said(null, null, null));
    }

    private static SpanData only() {
        assertThat(SPANS.getSpans()).hasSize(1);
        return SPANS.getSpans().getFirst();
    }

    private static ToolResult answered(ToolOrder.Execute order, String result) {
        return ToolResults.answered(order.request(), "p-1", RawJson.of(result), ONCE);
    }

    @Test
    @DisplayName("is a client's, below the gateway's, and has no argument in it")
    void call() {
        var order = order(ToolMethod.TOOLS_CALL, "s:get-weather");
        var span = McpSpan.begin(order, ToolMethod.TOOLS_CALL);
        span.asks(null, info("2025-06-18"));
        span.sent(7);
        span.end(answered(order, "{\"content\":[]}"));

        var made = only();
        assertThat(made.getName()).isEqualTo("tools/call get-weather");
        assertThat(made.getKind()).isEqualTo(SpanKind.CLIENT);
        assertThat(made.getTraceId()).isEqualTo(TRACE);
        assertThat(made.getParentSpanId()).isEqualTo(GATEWAY);
        assertThat(made.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(made.getAttributes().asMap())
                .isEqualTo(
                        Attributes.builder()
                                .put("mcp.method.name", "tools/call")
                                .put("gen_ai.tool.name", "get-weather")
                                .put("gen_ai.operation.name", "execute_tool")
                                .put("mcp.protocol.version", "2025-06-18")
                                .put("jsonrpc.request.id", "7")
                                .put("network.transport", "pipe")
                                .put("perigee.request_id", "r-1")
                                .put("perigee.process_id", "p-1")
                                .put("perigee.attempts", 1)
                                .build()
                                .asMap());
        assertThat(span.traceparent()).isEqualTo("00-" + TRACE + "-" + made.getSpanId() + "-01");
        assertThat(span.tracestate()).isEqualTo("a=1");
        assertThat(made.toString()).doesNotContain("hush");
    }

    @Test
    @DisplayName("names host and port of a server elsewhere, and nothing else of its address")
    void elsewhere() {
        var order = order(ToolMethod.PROMPTS_GET, "s:analyze");
        var span = McpSpan.begin(order, ToolMethod.PROMPTS_GET);
        span.asks("https://me:hush@mcp.example/hush?key=hush", null);
        span.end(answered(order, "{}"));

        var made = only();
        assertThat(made.getName()).isEqualTo("prompts/get analyze");
        assertThat(made.getAttributes().get(stringKey("gen_ai.prompt.name"))).isEqualTo("analyze");
        assertThat(made.getAttributes().get(stringKey("gen_ai.operation.name"))).isNull();
        assertThat(made.getAttributes().get(stringKey("network.transport"))).isEqualTo("tcp");
        assertThat(made.getAttributes().get(stringKey("server.address"))).isEqualTo("mcp.example");
        assertThat(made.getAttributes().get(longKey("server.port"))).isEqualTo(443);
        assertThat(made.toString()).doesNotContain("hush");
    }

    @Test
    @DisplayName("says tool_error, the JSON-RPC code, or Perigee's own as error.type")
    void errors() {
        var order = order(ToolMethod.TOOLS_CALL, "s:a");
        McpSpan.begin(order, ToolMethod.TOOLS_CALL)
                .end(answered(order, "{\"content\":[],\"isError\":true}"));
        var own = ToolError.of(ErrorCode.SERVER_ERROR, "the server says hush", null);
        McpSpan.begin(order, ToolMethod.TOOLS_CALL)
                .end(ToolResults.failed(order.request(), "p-1", own.ofServer(-32602L, null), ONCE));
        McpSpan.begin(order, ToolMethod.TOOLS_CALL)
                .end(
                        ToolResults.failed(
                                order.request(),
                                "p-1",
                                ToolError.of(ErrorCode.TIMEOUT, "hush", null),
                                ONCE));

        assertThat(SPANS.getSpans())
                .extracting(made -> made.getAttributes().get(stringKey("error.type")))
                .containsExactly("tool_error", "-32602", "timeout");
        assertThat(SPANS.getSpans())
                .extracting(made -> made.getAttributes().get(stringKey("rpc.response.status_code")))
                .containsExactly(null, "-32602", null);
        assertThat(SPANS.getSpans())
                .allSatisfy(
                        made ->
                                assertThat(made.getStatus().getStatusCode())
                                        .isEqualTo(StatusCode.ERROR));
        assertThat(SPANS.getSpans().toString()).doesNotContain("hush");
    }

    @Test
    @DisplayName("leaves out a resource's URI, and a revision that is none")
    void inert() {
        var order = order(ToolMethod.RESOURCES_READ, "s|file:///hush");
        var span = McpSpan.begin(order, ToolMethod.RESOURCES_READ);
        span.asks(null, info("2025\u001b[31m hush"));
        span.end(answered(order, "{}"));

        assertThat(only().getName()).isEqualTo("resources/read");
        assertThat(only().getAttributes().get(stringKey("mcp.protocol.version"))).isNull();
        assertThat(only().toString()).doesNotContain("hush");
    }

    @Test
    @DisplayName("bounds a tool's name")
    void bounded() {
        var order = order(ToolMethod.TOOLS_CALL, "s:" + "x".repeat(1_000));
        McpSpan.begin(order, ToolMethod.TOOLS_CALL).end(answered(order, "{}"));

        assertThat(only().getName()).hasSizeLessThan(150);
    }
}
