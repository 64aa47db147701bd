package dev.perigee.worker.mcp;

import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.egress.EgressGuard;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * One session over one of the SDK's transports, which frames messages and keeps the session's id;
 * the outcome of requests is decided here, by their exchanges. Safe for use by any thread.
 */
final class HttpSession
        implements HttpCall.Session,
                SessionHttpClient.Exchanges,
                NotificationStream.Session,
                ResumedAnswer.Session {
    private static final Logger log = LoggerFactory.getLogger(HttpSession.class);

    private final LogContext about = LogContext.current();
    private final HttpTransport kind;
    private final ConfiguredRequests requests;
    private final SessionParts parts;
    private final Calls client;
    private final SessionHttpClient http;
    private final McpClientTransport transport;
    private final NotificationStream notifications;
    private final Set<HttpCall> calls = ConcurrentHashMap.newKeySet();
    private final ConcurrentHashMap<HttpCall, ResumedAnswer> resumed = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, Exchange> unfinished = new ConcurrentHashMap<>();
    private final AtomicLong lastExchange = new AtomicLong();
    private final Lingering lingering = new Lingering();
    private final ListeningCall listening;
    private final AnswerStream answers;
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean usable = true;
    private volatile boolean reached;
    private volatile boolean retired;
    private volatile @Nullable ServerInfo info;
    private volatile @Nullable ModernMeta modern;

    /** Callbacks to the client, on the connections' threads; must not block. */
    interface Calls {
        void failed(HttpCall call, McpException why);

        /** The response that refused a call may mean that the server forgot the session. */
        void lost(HttpSession session, HttpCall call, McpException why);

        /** A call was refused for what it carried, and there may be other credentials by now. */
        void unauthorized(
                HttpSession session, HttpCall call, @Nullable HttpTarget carried, McpException why);

        void received(byte[] message);

        /** The egress policy refused a request; the text is for people. */
        void refused(String what);

        /** Notifications may be lost, and what the server notifies of forgotten. */
        void noticesMissed();

        /** The server's list of tools may have changed unannounced. */
        void toolsMayDiffer();

        /** The server has forgotten a session that nothing was sent in. */
        void forgotten(HttpSession session);
    }

    HttpSession(HttpTarget target, SessionParts parts, Calls client) throws McpException {
        this.kind = parts.transport();
        this.requests = new ConfiguredRequests(target, parts);
        this.parts = parts;
        this.client = client;
        this.listening = new ListeningCall(client::noticesMissed);
        this.answers = new AnswerStream(calls, client::failed);
        this.http =
                new SessionHttpClient(
                        parts.connections().client(), parts.options().maxMessageBytes(), this);
        this.notifications = new NotificationStream(requests, http, this);
        this.transport =
                HttpTransports.create(
                        kind,
                        requests.address(),
                        http,
                        parts.options().maxMessageBytes(),
                        requests::customize);
    }

    /** Whether requests to this address may go through it. */
    boolean isUsable(String url) {
        return usable && requests.leadTo(url);
    }

    /** What the server said in the handshake, null before. */
    @Nullable ServerInfo info() {
        return info;
    }

    /** Whether a connection with the server was made. */
    boolean isReached() {
        return reached || unfinished.values().stream().anyMatch(Exchange::isConnected);
    }

    /** Connects, where the transport has a connection. */
    void connect(long deadlineNanos) throws McpException, InterruptedException {
        answers.connect(
                transport.connect(
                        messages ->
                                messages.doOnNext(one -> receive(Envelopes.text(one)))
                                        .then(Mono.empty())),
                deadlineNanos);
    }

    private void receive(String text) {
        var found = EndMark.find(text);
        var ended = found.exchange() == null ? null : unfinished.get(found.exchange());
        boolean half = ended != null && ended.isTorn();
        if (!found.message().isEmpty() && !half) {
            notifications.serverAnswers();
            client.received(found.message().getBytes(StandardCharsets.UTF_8));
        }
        if (ended != null) {
            ended.marked();
        }
    }

    /** From now on it speaks so: with this in each request, or as before 2026 where null. */
    void speaks(@Nullable ModernMeta meta) {
        modern = meta;
        requests.speaks(meta != null);
    }

    @Override
    public boolean isModern() {
        return modern != null;
    }

    /** A server that was discovered. There is no session at its side, nor a stream of notices. */
    void discovered(ServerInfo server) {
        info = server;
    }

    /** Ends the handshake with the {@code initialized} notification. */
    void introduced(ServerInfo server, long deadlineNanos)
            throws McpException, InterruptedException {
        info = server;
        requests.agreed(server.protocolVersion());
        var receipt = tell(McpMessage.INITIALIZED, McpMessage.initialized());
        var end = receipt.awaitEnd(deadlineNanos - System.nanoTime());
        if (end == null) {
            throw HttpFailures.noSession();
        }
        if (end instanceof ExchangeEnd.Refused
                || end instanceof ExchangeEnd.Redirected
                || end instanceof ExchangeEnd.Broken) {
            throw Objects.requireNonNull(receipt.failure(end));
        }
        notifications.begin();
    }

    /**
     * Sends a request; the client's callbacks get its outcome. False, and nothing is sent, where
     * the session was retired after it had been handed out: nothing would come of it.
     */
    boolean post(HttpCall call) {
        calls.add(call); // Before the look: who retires it looks at its calls afterwards.
        if (retired && !call.isHandshake()) {
            forget(call);
            return false;
        }
        var expected =
                kind == HttpTransport.STREAMABLE ? Exchange.Kind.ANSWER : Exchange.Kind.RECEIPT;
        var exchange = exchange(expected, call);
        if (expected == Exchange.Kind.ANSWER && !call.isHandshake() && !isModern()) {
            exchange.mayBeResumed();
        }
        call.goesThrough(this, exchange);
        var message = Envelopes.request(call.message(modern));
        ConfiguredRequests.send(transport, message, call.method(), exchange, call);
        lingering.sweep();
        return true;
    }

    @Override
    public Exchange tell(@Nullable String method, byte[] message) {
        var exchange = exchange(Exchange.Kind.RECEIPT, null);
        ConfiguredRequests.send(transport, Envelopes.notice(message), method, exchange, null);
        return exchange;
    }

    private Exchange exchange(Exchange.Kind expected, @Nullable HttpCall call) {
        var exchange =
                new Exchange(
                        lastExchange.incrementAndGet(),
                        expected,
                        parts.connections().room(),
                        (ended, end) -> ended(ended, call, end));
        if (expected != Exchange.Kind.RECEIPT) {
            unfinished.put(exchange.number(), exchange);
        }
        return exchange;
    }

    @Override
    public Exchange withoutBody(String method) {
        if (!method.equals("GET")) {
            return exchange(Exchange.Kind.RECEIPT, null);
        }
        var opened = exchange(Exchange.Kind.STREAM, null);
        answers.opened(opened);
        if (closing.get()) {
            opened.abandon();
        }
        return opened;
    }

    @Override
    public boolean holds(HttpRequest request) {
        boolean isStream = kind == HttpTransport.STREAMABLE && request.method().equals("GET");
        if (isStream) {
            notifications.named(request.headers().firstValue("mcp-session-id").orElse(null));
        }
        return isStream;
    }

    @Override
    public URI complete(URI address) {
        return requests.complete(address);
    }

    @Override
    public EgressGuard guard(URI address) {
        return requests.guard(address);
    }

    @Override
    public void refused(String what) {
        parts.connections().guards().count();
        client.refused(what);
    }

    @Override
    public Exchange streamExchange() {
        return exchange(Exchange.Kind.NOTIFICATIONS, null);
    }

    @Override
    public void received(String message) {
        client.received(message.getBytes(StandardCharsets.UTF_8));
    }

    /** The server notifies in the response to this call, null for none; true after a gap. */
    boolean listensBy(@Nullable HttpCall call) {
        return listening.replaceBy(call);
    }

    @Override
    public void missed() {
        client.noticesMissed();
        var server = info;
        if (server != null && server.announcesTools()) {
            client.toolsMayDiffer();
        }
    }

    @Override
    public void forgotten() {
        client.forgotten(this);
        missed();
    }

    private void ended(Exchange exchange, @Nullable HttpCall call, ExchangeEnd end) {
        reached |= exchange.isConnected();
        unfinished.remove(exchange.number());
        lingering.remove(exchange);
        exchange.tellRefusal(end, parts.target());
        if (call != null && call.isListening() && call.isOver()) {
            listening.hasEnded(call);
        } else if (call != null) {
            callEnded(call, exchange, end);
        } else if (exchange.kind() == Exchange.Kind.STREAM) {
            streamEnded(exchange, end);
        } else if (exchange.kind() == Exchange.Kind.NOTIFICATIONS) {
            notifications.ended(exchange, end);
        }
    }

    private void callEnded(HttpCall call, Exchange exchange, ExchangeEnd end) {
        if (exchange.kind() == Exchange.Kind.RESUMED) {
            var answer = resumed.get(call);
            if (answer != null) {
                answer.ended(exchange, end);
            }
            return;
        }
        if (end instanceof ExchangeEnd.Completed && exchange.kind() == Exchange.Kind.RECEIPT) {
            answers.awaits(call);
            return;
        }
        if (end instanceof ExchangeEnd.Refused refused) {
            var lacking = call.isHandshake() ? null : HttpFailures.lacking(refused, parts.target());
            if (lacking != null) {
                client.failed(call, lacking);
                return;
            }
            if (mayBeRenewed(call, refused)) {
                calls.remove(call);
                client.unauthorized(this, call, exchange.carried(), HttpFailures.refused(refused));
                return;
            }
            boolean named = kind == HttpTransport.SSE || exchange.sessionId() != null;
            if (named && !call.isHandshake() && HttpFailures.isSessionLost(refused, call.id())) {
                calls.remove(call);
                client.lost(this, call, HttpFailures.refused(refused));
                return;
            }
            if (HttpFailures.mayAnswer(refused) && refused.answers(call.id())) {
                client.received(refused.body());
                return;
            }
        }
        var why = exchange.failure(end);
        if (why != null && !resume(call, exchange, end, why)) {
            client.failed(call, why);
        }
    }

    private boolean mayBeRenewed(HttpCall call, ExchangeEnd.Refused refused) {
        return refused.wantsAuthorization()
                && !call.isHandshake()
                && parts.target().isRenewable()
                && call.takeOtherCredentials();
    }

    /** Whether the rest of the answer can be asked for, and is. */
    private boolean resume(HttpCall call, Exchange exchange, ExchangeEnd end, McpException lost) {
        var cursor = exchange.cursor();
        boolean cut = end instanceof ExchangeEnd.Completed || end instanceof ExchangeEnd.Broken;
        if (!cut || cursor == null || cursor.lastEventId() == null || call.isOver()) {
            return false;
        }
        var answer = new ResumedAnswer(call, cursor, exchange.sessionId(), lost, this);
        resumed.put(call, answer);
        answer.begin();
        if (call.isOver()) {
            forgetResumed(call);
        }
        return true;
    }

    @Override
    public Exchange follow(ResumedAnswer answer) {
        var call = answer.call();
        var exchange = exchange(Exchange.Kind.RESUMED, call);
        call.goesOnThrough(this, exchange);
        var _ =
                requests.stream(exchange, answer.sessionId(), answer.lastEventId())
                        .thenAccept(
                                request -> {
                                    var _ =
                                            http.send(
                                                    request, exchange, _ -> new StreamBody(answer));
                                })
                        .exceptionally(
                                failure -> {
                                    exchange.end(new ExchangeEnd.Broken(failure));
                                    return null;
                                });
        return exchange;
    }

    @Override
    public boolean isRenewable() {
        return parts.target().isRenewable();
    }

    @Override
    public void failed(HttpCall call, McpException why) {
        client.failed(call, why);
    }

    private void streamEnded(Exchange exchange, ExchangeEnd end) {
        var failure = exchange.failure(end);
        usable = false;
        answers.ended(failure == null ? HttpFailures.streamEnded() : failure);
        if (info != null && !retired && !closing.get()) {
            client.noticesMissed();
        }
    }

    @Override
    public void forget(HttpCall call) {
        calls.remove(call);
        answers.forget(call);
        forgetResumed(call);
        if (retired && calls.isEmpty()) {
            end();
        }
    }

    private void forgetResumed(HttpCall call) {
        var answer = resumed.remove(call);
        if (answer != null) {
            answer.forget();
        }
    }

    @Override
    public void linger(Exchange exchange) {
        if (exchange.kind() == Exchange.Kind.ANSWER || exchange.kind() == Exchange.Kind.RESUMED) {
            lingering.add(exchange);
        }
    }

    /** Nothing more goes through it; ends when what is under way has ended. */
    void retire() {
        usable = false;
        retired = true;
        if (calls.isEmpty()) {
            end();
        }
    }

    private void end() {
        if (closing.compareAndSet(false, true)) {
            release();
            transport
                    .closeGracefully()
                    .subscribe(
                            _ -> {}, failure -> about.on(log.atDebug()).log("Session not ended"));
        }
    }

    /** The server no longer knows the session, so it is not notified. */
    void abandon() {
        usable = false;
        if (closing.compareAndSet(false, true)) {
            release();
        }
    }

    private void release() {
        notifications.close();
        listening.close();
        answers.abandon();
        lingering.clear();
    }

    /** Ends the session at the server, and waits for that at most so long. */
    void close(Duration limit) {
        usable = false;
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        release();
        try {
            transport.closeGracefully().toFuture().get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            about.on(log.atDebug())
                    .addKeyValue("process_id", parts.processId())
                    .log("Session not ended");
        }
    }
}
