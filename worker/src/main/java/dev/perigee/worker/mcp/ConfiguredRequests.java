package dev.perigee.worker.mcp;

import dev.perigee.worker.egress.EgressGuard;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Puts on each request of a session what its user configured, as it is at that moment, and links
 * each message to the exchange that it is part of. Safe for use by any thread.
 */
final class ConfiguredRequests {
    private static final String SENT = "sent";

    private final SessionParts parts;
    private final URI address;
    private volatile HttpTarget last;
    private volatile @Nullable String protocolVersion;
    private volatile boolean modern;

    /** What a message of the transport's is part of; the call is null for all but requests. */
    private record Sent(@Nullable String method, Exchange exchange, @Nullable HttpCall call) {}

    ConfiguredRequests(HttpTarget target, SessionParts parts) throws McpException {
        this.address = target.address();
        this.last = target;
        this.parts = parts;
    }

    URI address() {
        return address;
    }

    /** Whether this is still the configured address. */
    boolean leadTo(String url) {
        return last.url().equals(url);
    }

    /** What server and client agreed on, which requests name from now on. */
    void agreed(@Nullable String version) {
        protocolVersion = version;
    }

    /** Whether requests name the modern revision, and repeat arguments in headers. */
    void speaks(boolean asModern) {
        modern = asModern;
        protocolVersion = asModern ? ModernMeta.VERSION : null;
    }

    /**
     * Has the transport send a message; the exchange ends when that fails.
     *
     * @param method null for an answer
     * @param call null for what is no request
     */
    static void send(
            McpClientTransport transport,
            McpSchema.JSONRPCMessage message,
            @Nullable String method,
            Exchange exchange,
            @Nullable HttpCall call) {
        var context = McpTransportContext.create(Map.of(SENT, new Sent(method, exchange, call)));
        transport
                .sendMessage(message)
                .contextWrite(Context.of(McpTransportContext.KEY, context))
                .subscribe(_ -> {}, failure -> exchange.end(new ExchangeEnd.Broken(failure)));
    }

    /** The transport's hook for each HTTP request. */
    Mono<HttpRequest.Builder> customize(
            HttpRequest.Builder request,
            String method,
            URI resolved,
            @Nullable String body,
            McpTransportContext context) {
        var renewed = parts.target().renewed();
        return renewed.isDone()
                ? Mono.just(customized(request, method, resolved, body, context))
                : Mono.fromFuture(renewed)
                        .map(_ -> customized(request, method, resolved, body, context));
    }

    private HttpRequest.Builder customized(
            HttpRequest.Builder request,
            String method,
            URI resolved,
            @Nullable String body,
            McpTransportContext context) {
        var target = target();
        boolean sse = parts.transport() == HttpTransport.SSE;
        request.uri(target.withParameters(sse && method.equals("POST") ? resolved : address));
        target.headers().forEach((name, value) -> set(request, name, value));
        var version = protocolVersion;
        if (version != null && !sse) {
            set(request, "MCP-Protocol-Version", version);
        }
        boolean mayTakeTime = method.equals("GET");
        if (body != null && context.get(SENT) instanceof Sent(var named, var exchange, var call)) {
            exchange.carries(target);
            request.POST(new TrackedBody(exchange, body.getBytes(StandardCharsets.UTF_8)));
            mayTakeTime = call != null;
            if (!sse && named != null) {
                describe(request, named, call);
            }
        }
        if (!mayTakeTime) {
            request.timeout(parts.connections().options().noticeTimeout());
        }
        return request;
    }

    /**
     * Says for those on the way what the body says, too. Servers of before 2026 do not look at it.
     *
     * @param call null for a notification
     */
    private void describe(HttpRequest.Builder request, String method, @Nullable HttpCall call) {
        set(request, "Mcp-Method", method);
        var subject = call == null ? null : call.subject();
        if (subject != null) {
            set(request, "Mcp-Name", HeaderText.of(subject));
        }
        if (call != null && modern) {
            call.argumentHeaders().forEach((name, value) -> set(request, name, value));
        }
    }

    private static void set(HttpRequest.Builder request, String name, String value) {
        try {
            request.setHeader(name, value);
        } catch (IllegalArgumentException e) {
            // Its message has the value.
            throw new CompletionException(
                    new McpException(
                            McpException.Kind.HTTP_REFUSED,
                            false,
                            "The header %s cannot be sent: HTTP does not allow it or its value"
                                    .formatted(name)));
        }
    }

    /** The address with the parameters that are configured at this moment. */
    URI complete(URI of) {
        return target().withParameters(of);
    }

    /** Holds a request to what its server may be at, by the configuration of this moment. */
    EgressGuard guard(URI of) {
        var target = target();
        return parts.connections().guards().guard(of, target.owner(), target.egress());
    }

    /** Whether other credentials may be had after these were refused. */
    boolean isRenewable() {
        return parts.target().isRenewable();
    }

    /**
     * The request for the stream of notifications, or for one that goes on behind an event, with
     * credentials that are up to date; it fails when a configured header cannot be sent.
     *
     * @param sessionId null for a server that has no sessions
     */
    CompletableFuture<HttpRequest> stream(
            Exchange exchange, @Nullable String sessionId, @Nullable String lastEventId) {
        return parts.target().renewed().thenApply(_ -> streamNow(exchange, sessionId, lastEventId));
    }

    private HttpRequest streamNow(
            Exchange exchange, @Nullable String sessionId, @Nullable String lastEventId) {
        var target = target();
        exchange.carries(target);
        var request = HttpRequest.newBuilder(target.withParameters(address));
        target.headers().forEach((name, value) -> set(request, name, value));
        request.setHeader("Accept", "text/event-stream").setHeader("Cache-Control", "no-cache");
        if (sessionId != null) {
            set(request, "Mcp-Session-Id", sessionId);
        }
        var version = protocolVersion;
        if (version != null) {
            set(request, "MCP-Protocol-Version", version);
        }
        if (lastEventId != null) {
            set(request, "Last-Event-ID", lastEventId);
        }
        return request.build();
    }

    /** The newest configuration of this address: another one's credentials are not for it. */
    private HttpTarget target() {
        var newest = parts.target().get();
        if (newest.url().equals(last.url())) {
            last = newest;
        }
        return last;
    }
}
