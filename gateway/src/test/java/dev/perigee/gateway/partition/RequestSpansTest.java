package dev.perigee.gateway.partition;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.TopicNames;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("OPS-17: spans of a request at the gateway, by the conventions of messaging")
final class RequestSpansTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String AUTHOR = "b7ad6b7169203331";

    @RegisterExtension static final OpenTelemetryExtension SPANS = OpenTelemetryExtension.create();

    private static ToolCall call(@Nullable String traceparent, @Nullable String tracestate) {
        return new ToolCall(
                new RequestRead(
                        new RecordOrigin("mcp.tool-requests", 3, 42),
                        ToolRequest.call(
                                "r-1", "t", "u", "s:echo", RawJson.of("{\"hush\":1}"), null),
                        ToolMethod.TOOLS_CALL,
                        ToolPath.parse("s:echo"),
                        Instant.EPOCH,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        null,
                        traceparent,
                        null,
                        null,
                        tracestate),
                "mcp.gateway");
    }

    @Test
    @DisplayName("process: a consumer's, below its author's, with a link to that")
    void process() {
        var call = call("00-" + TRACE + "-" + AUTHOR + "-01", "a=1");
        call.answered(null, Instant.ofEpochSecond(1), Duration.ZERO);

        var span = SPANS.getSpans().getFirst();
        assertThat(span.getName()).isEqualTo("process mcp.tool-requests");
        assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(span.getTraceId()).isEqualTo(TRACE);
        assertThat(span.getParentSpanId()).isEqualTo(AUTHOR);
        assertThat(span.getLinks())
                .singleElement()
                .satisfies(link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(AUTHOR));
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(span.getAttributes().asMap())
                .isEqualTo(
                        Attributes.builder()
                                .put("messaging.system", "kafka")
                                .put("messaging.operation.name", "process")
                                .put("messaging.operation.type", "process")
                                .put("messaging.destination.name", "mcp.tool-requests")
                                .put("messaging.destination.partition.id", "3")
                                .put("messaging.kafka.offset", 42)
                                .put("messaging.consumer.group.name", "mcp.gateway")
                                .put("messaging.message.conversation_id", "r-1")
                                .put("perigee.request_id", "r-1")
                                .put("perigee.method", "tools/call")
                                .build()
                                .asMap());
        assertThat(call.span().traceparent())
                .isEqualTo("00-" + TRACE + "-" + span.getSpanId() + "-01");
        assertThat(call.span().tracestate()).isEqualTo("a=1");
    }

    @Test
    @DisplayName("send: a client's, within process, and error.type of what the gateway answered")
    void send() {
        var call = call("00-" + TRACE + "-" + AUTHOR + "-01", null);
        call.answering(new TopicNames("mcp."));
        call.answered(ErrorCode.OVERLOADED, Instant.ofEpochSecond(1), Duration.ZERO);

        var send = SPANS.getSpans().getFirst();
        var process = SPANS.getSpans().getLast();
        assertThat(send.getName()).isEqualTo("send mcp.tool-results");
        assertThat(send.getKind()).isEqualTo(SpanKind.CLIENT);
        assertThat(send.getParentSpanId()).isEqualTo(process.getSpanId());
        assertThat(send.getAttributes().get(stringKey("messaging.operation.type")))
                .isEqualTo("send");
        assertThat(send.getAttributes().get(stringKey("messaging.destination.name")))
                .isEqualTo("mcp.tool-results");
        assertThat(process.getAttributes().get(stringKey("error.type"))).isEqualTo("overloaded");
        assertThat(process.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(process.getAttributes().get(longKey("messaging.kafka.offset"))).isEqualTo(42);
    }

    @Test
    @DisplayName("begin a trace where what came is none")
    void hostile() {
        var call = call("00-" + "f".repeat(500), "a=" + "b".repeat(5_000));
        call.answered(null, Instant.ofEpochSecond(1), Duration.ZERO);

        var span = SPANS.getSpans().getFirst();
        assertThat(span.getParentSpanContext().isValid()).isFalse();
        assertThat(span.getLinks()).isEmpty();
        assertThat(call.span().tracestate()).isNull();
    }
}
