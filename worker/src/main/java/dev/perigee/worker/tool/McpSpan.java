package dev.perigee.worker.tool;

import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.trace.SpanText;
import dev.perigee.protocol.trace.TraceSpan;
import dev.perigee.worker.mcp.ServerInfo;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import java.net.URI;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Span of one request to a server, by OpenTelemetry's conventions of MCP: from its acceptance by
 * the worker to its result, waiting for the server and repeats included. Arguments, results,
 * resource URIs, session ids and messages of errors are not in it. Any thread may end it.
 */
public final class McpSpan {
    private static final AttributeKey<String> METHOD = AttributeKey.stringKey("mcp.method.name");
    private static final AttributeKey<String> PROTOCOL =
            AttributeKey.stringKey("mcp.protocol.version");
    private static final AttributeKey<String> TOOL = AttributeKey.stringKey("gen_ai.tool.name");
    private static final AttributeKey<String> PROMPT = AttributeKey.stringKey("gen_ai.prompt.name");
    private static final AttributeKey<String> OPERATION =
            AttributeKey.stringKey("gen_ai.operation.name");
    private static final AttributeKey<String> JSON_RPC_ID =
            AttributeKey.stringKey("jsonrpc.request.id");
    private static final AttributeKey<String> STATUS_CODE =
            AttributeKey.stringKey("rpc.response.status_code");
    private static final AttributeKey<String> TRANSPORT =
            AttributeKey.stringKey("network.transport");
    private static final AttributeKey<String> NETWORK_PROTOCOL =
            AttributeKey.stringKey("network.protocol.name");
    private static final AttributeKey<String> ADDRESS = AttributeKey.stringKey("server.address");
    private static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
    private static final AttributeKey<String> REQUEST_ID =
            AttributeKey.stringKey("perigee.request_id");
    private static final AttributeKey<String> PROCESS_ID =
            AttributeKey.stringKey("perigee.process_id");
    private static final AttributeKey<Long> ATTEMPTS = AttributeKey.longKey("perigee.attempts");

    /** Revisions are dates; anything else that a server writes is not repeated. */
    private static final Pattern REVISION = Pattern.compile("[0-9A-Za-z.-]{1,32}");

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private final TraceSpan span;

    private McpSpan(TraceSpan span) {
        this.span = span;
    }

    /** Begins the span of a request that {@link ToolMethod#needsServer()}. */
    public static McpSpan begin(ToolOrder.Execute order, ToolMethod method) {
        return new McpSpan(
                TraceSpan.begin(
                        new Call(order, method),
                        order.traceparent(),
                        order.tracestate(),
                        () -> order.origin().toString()));
    }

    /** What the server is to continue. */
    public String traceparent() {
        return span.traceparent();
    }

    /** What goes with it, null where there is nothing. */
    public @Nullable String tracestate() {
        return span.tracestate();
    }

    /** The one id of everything that is done for the request. */
    public String traceId() {
        return span.traceId();
    }

    /**
     * A server is about to be asked; of several the last one counts.
     *
     * @param url its address, of which only host and port are kept; null for a process of this
     *     worker
     * @param info what it said of itself, null while that is not known
     */
    public void asks(@Nullable String url, @Nullable ServerInfo info) {
        if (!span.isRecording()) {
            return;
        }
        var version = info == null ? null : info.protocolVersion();
        if (version != null && REVISION.matcher(version).matches()) {
            span.with(PROTOCOL, version);
        }
        if (url == null) {
            span.with(TRANSPORT, "pipe");
        } else {
            span.with(TRANSPORT, "tcp").with(NETWORK_PROTOCOL, "http");
            address(url);
        }
    }

    private void address(String url) {
        try {
            var uri = URI.create(url);
            var host = uri.getHost();
            if (host != null) {
                long usual = "https".equals(uri.getScheme()) ? HTTPS_PORT : HTTP_PORT;
                span.with(ADDRESS, SpanText.of(host))
                        .with(PORT, uri.getPort() < 0 ? usual : (long) uri.getPort());
            }
        } catch (IllegalArgumentException e) {
            return; // An address that is none is said by the call's own error.
        }
    }

    /** The request was sent with this JSON-RPC id; of several the last one counts. */
    public void sent(long id) {
        if (span.isRecording()) {
            span.with(JSON_RPC_ID, Long.toString(id));
        }
    }

    /** Ends with the request's one result. */
    public void end(ToolResult result) {
        if (span.isRecording()) {
            span.with(ATTEMPTS, (long) result.attempts());
            var processId = result.processId();
            if (processId != null) {
                span.with(PROCESS_ID, SpanText.of(processId));
            }
            var code = serverCode(result);
            if (code != null) {
                span.with(STATUS_CODE, code);
            }
            span.end(errorType(result, code));
        }
    }

    /** Ends without a result: another worker resumes the request. */
    public void handedOver() {
        span.end(null);
    }

    private static @Nullable String serverCode(ToolResult result) {
        var error = result.error();
        var code = error == null ? null : error.serverCode();
        return code == null ? null : code.toString();
    }

    /** The JSON-RPC code, else tool_error, else Perigee's own code. */
    private static @Nullable String errorType(ToolResult result, @Nullable String serverCode) {
        var error = result.error();
        if (serverCode != null) {
            return serverCode;
        }
        if (error != null) {
            return error.code().name().toLowerCase(Locale.ROOT);
        }
        return result.outcome() == ToolOutcome.TOOL_ERROR ? "tool_error" : null;
    }

    private record Call(ToolOrder.Execute order, ToolMethod method) implements TraceSpan.Work {
        @Override
        public SpanKind kind() {
            return SpanKind.CLIENT;
        }

        @Override
        public String name() {
            var target = target();
            return target == null ? method.wireName() : method.wireName() + " " + target;
        }

        @Override
        public Attributes attributes() {
            var attributes =
                    Attributes.builder()
                            .put(METHOD, method.wireName())
                            .put(REQUEST_ID, SpanText.of(order.request().requestId()));
            var target = target();
            if (method == ToolMethod.TOOLS_CALL) {
                attributes.put(OPERATION, "execute_tool");
            }
            if (target != null) {
                attributes.put(method == ToolMethod.TOOLS_CALL ? TOOL : PROMPT, target);
            }
            return attributes.build();
        }

        @Override
        public boolean linksParent() {
            return false;
        }

        /** The tool or prompt; a resource's URI may hold anything. */
        private @Nullable String target() {
            if (method != ToolMethod.TOOLS_CALL && method != ToolMethod.PROMPTS_GET) {
                return null;
            }
            var name = ToolPath.parse(order.request().toolPath()).name();
            return name == null ? null : SpanText.of(name);
        }
    }
}
