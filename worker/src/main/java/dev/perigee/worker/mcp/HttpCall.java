package dev.perigee.worker.mcp;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way through a session; through a second one when the server has forgotten the
 * first. Ends its exchange when it ends itself, so that nothing is read without a waiting caller.
 */
final class HttpCall implements McpRequest.Owner {
    private static final Set<String> HANDSHAKES = Set.of("initialize", "server/discover");

    private final String method;
    private final RawJson params;
    private final ArgumentHeaders headers;
    private final CallRound round;
    private final long deadlineNanos;
    private final InFlight inFlight;
    private final McpRequest request;
    private final AtomicBoolean resent = new AtomicBoolean();
    private final AtomicBoolean renewed = new AtomicBoolean();
    private volatile @Nullable Way way;
    private volatile boolean over;
    private volatile boolean resumed;

    /** Session that a call goes through. Must not block. */
    interface Session {
        /** Whether it is one with a modern server. */
        boolean isModern();

        /** Sends a message that has no answer; an answer to a question has no method. */
        Exchange tell(@Nullable String method, byte[] message);

        /** The answer came: its response should end now. */
        void linger(Exchange exchange);

        /** The call is over. */
        void forget(HttpCall call);
    }

    private record Way(Session session, Exchange exchange) {}

    private record Subject(
            @Nullable String name,
            @Nullable String uri,
            @JsonProperty("taskId") @Nullable String taskId) {}

    /** A request of the calling thread, whose author may not be asked. */
    HttpCall(String method, RawJson params, long deadlineNanos, InFlight inFlight) {
        this(method, params, ArgumentHeaders.NONE, CallRound.ONLY, deadlineNanos, inFlight);
    }

    /** One of a call of rounds, of whose arguments some are headers, too. */
    @SuppressWarnings("this-escape") // Nobody can end the request before it is sent.
    HttpCall(
            String method,
            RawJson params,
            ArgumentHeaders headers,
            CallRound round,
            long deadlineNanos,
            InFlight inFlight) {
        this.method = method;
        this.params = params;
        this.headers = headers;
        this.round = round;
        this.deadlineNanos = deadlineNanos;
        this.inFlight = inFlight;
        this.request = inFlight.open(this);
    }

    McpRequest request() {
        return request;
    }

    long id() {
        return request.id();
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    boolean isHandshake() {
        return HANDSHAKES.contains(method);
    }

    String method() {
        return method;
    }

    /** Whether its answer is a stream that lasts: it is over as soon as that is acknowledged. */
    boolean isListening() {
        return method.equals(ModernMeta.LISTEN);
    }

    /** Whether its response is over, too. */
    boolean hasEnded() {
        var taken = way;
        return taken != null && taken.exchange().isOver();
    }

    /** Ends the response, which may go on after the answer. */
    void abandon() {
        var taken = way;
        if (taken != null) {
            taken.exchange().abandon();
        }
    }

    /** What it is about: a tool, a prompt, a resource; null for all else. */
    @Nullable String subject() {
        return switch (method) {
            case "tools/call", "prompts/get" -> Json.read(params, Subject.class).name();
            case "resources/read" -> Json.read(params, Subject.class).uri();
            case "tasks/get", "tasks/update", "tasks/cancel", "tasks/result" ->
                    Json.read(params, Subject.class).taskId();
            default -> null;
        };
    }

    /** Headers that repeat its arguments, by name. */
    Map<String, String> argumentHeaders() {
        return headers.of(params);
    }

    /** The bytes to send; to a modern server with its {@code _meta}. */
    byte[] message(@Nullable ModernMeta modern) {
        return McpMessage.write(id(), method, modern == null ? params : modern.put(params, round));
    }

    CallRound round() {
        return round;
    }

    /** True the first time. */
    boolean takeSecondChance() {
        return resent.compareAndSet(false, true);
    }

    /** True the first time that other credentials may help. */
    boolean takeOtherCredentials() {
        return renewed.compareAndSet(false, true);
    }

    /** Its answer is waited for on another stream; the request itself was sent before. */
    void goesOnThrough(Session session, Exchange exchange) {
        resumed = true;
        goesThrough(session, exchange);
    }

    boolean isOver() {
        return over;
    }

    void goesThrough(Session session, Exchange exchange) {
        way = new Way(session, exchange);
        if (over) {
            session.forget(this);
            exchange.abandon();
        }
    }

    /** Only of its handshake does a server say in words that its user must authorize first. */
    @Override
    public McpException.Kind meaning(String message) {
        return isHandshake()
                ? HttpFailures.meaningOfHandshake(message)
                : McpException.Kind.SERVER_ERROR;
    }

    /** Without a connection the server is out of reach, however little time there was. */
    @Override
    public McpException expired(String message) {
        var taken = way;
        return !resumed && (taken == null || !taken.exchange().handedOver())
                ? HttpFailures.notConnected()
                : McpRequest.Owner.super.expired(message);
    }

    @Override
    public void ended(boolean answered) {
        over = true;
        var taken = way;
        if (taken == null) {
            return;
        }
        if (answered) {
            if (!isListening()) {
                taken.session().linger(taken.exchange());
            }
        } else {
            taken.exchange().abandon();
        }
        taken.session().forget(this);
    }

    @Override
    public void cancelled(long id, boolean tellServer, String reason) {
        inFlight.drop(id);
        var taken = way;
        // A modern server is told by the end of the exchange.
        if (tellServer && taken != null && !isHandshake() && !taken.session().isModern()) {
            taken.session().tell(McpMessage.CANCELLED, McpMessage.cancelled(id, reason));
        }
    }
}
