package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.trace.LogContext;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * MCP with a server over HTTP, for one user's instance. The session is made with the first request
 * and anew when the server has forgotten it; address and credentials are read afresh for every HTTP
 * request, so a new configuration applies to the next one. Follows redirects within the server's
 * origin. Has no thread of its own; at rest it holds at most the connection that the server sends
 * notifications on.
 */
public final class HttpMcpClient implements McpClient, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpMcpClient.class);

    private final LogContext about = LogContext.current();
    private final SessionParts parts;
    private final InFlight inFlight;
    private final McpListener listener;
    private final Reception reception;
    private final HttpSessions sessions;
    private final AtomicReference<@Nullable HttpSession> newest = new AtomicReference<>();
    private final SessionCalls calls = new SessionCalls();
    private volatile Era era = Era.LEGACY;
    private volatile boolean hadSession;
    private volatile boolean closed;

    private final class SessionCalls
            implements HttpSession.Calls, HttpSessions.Maker, Reception.Transport {
        @Override
        public HttpSession make(long deadlineNanos) throws McpException, InterruptedException {
            var carried = parts.target().get();
            try {
                return open(carried, deadlineNanos);
            } catch (McpException e) {
                if (!e.refusesCredentials() || !parts.target().isRenewable()) {
                    throw e;
                }
                parts.target().refused(carried);
                renewAfter(e, deadlineNanos);
                var newest = parts.target().get();
                if (newest.equals(carried)) {
                    throw e;
                }
                return open(newest, deadlineNanos);
            }
        }

        @Override
        public McpException outOfTime() {
            var session = newest.get();
            return session == null || session.isReached()
                    ? HttpFailures.noSession()
                    : HttpFailures.notConnected();
        }

        @Override
        public void failed(HttpCall call, McpException why) {
            inFlight.fail(call.id(), why);
        }

        @Override
        public void lost(HttpSession session, HttpCall call, McpException why) {
            if (call.takeSecondChance()) {
                sessions.drop(session);
                var _ =
                        Thread.ofVirtual()
                                .name("mcp-renew-" + parts.processId())
                                .start(about.carriedBy(() -> sendAgain(call)));
            } else {
                failed(call, why);
            }
        }

        @Override
        public void unauthorized(
                HttpSession session,
                HttpCall call,
                @Nullable HttpTarget carried,
                McpException why) {
            var _ =
                    Thread.ofVirtual()
                            .name("mcp-renew-" + parts.processId())
                            .start(about.carriedBy(() -> sendRenewed(session, call, carried, why)));
        }

        @Override
        public void received(byte[] message) {
            reception.receive(message);
        }

        @Override
        public void refused(String what) {
            listener.onEgressRefused(what);
        }

        @Override
        public void noticesMissed() {
            listener.onNoticesMissed();
        }

        @Override
        public void toolsMayDiffer() {
            listener.onToolsMissed();
        }

        @Override
        public void forgotten(HttpSession session) {
            sessions.drop(session);
        }

        @Override
        public String source() {
            return "a message";
        }

        @Override
        public void reply(byte[] message) {
            var session = newest.get();
            if (session != null && !session.isModern()) {
                session.tell(null, message);
            }
        }
    }

    /**
     * A client that connects when it is used.
     *
     * @param processId for logs and the names of threads
     * @param target asked for each HTTP request, renewed before each message
     * @param listener called on the connections' threads
     */
    public HttpMcpClient(
            String processId,
            HttpTransport transport,
            TargetSource target,
            HttpConnections connections,
            McpOptions options,
            ServerMetrics metrics,
            McpListener listener) {
        this.parts = new SessionParts(processId, transport, target, connections, options);
        this.inFlight = new InFlight(metrics);
        this.listener = listener;
        this.reception = new Reception(processId, inFlight, listener, calls);
        this.sessions = new HttpSessions(calls);
    }

    /** Makes a session unless there is one; what the server said when it was made. */
    @Override
    public ServerInfo initialize(Duration timeout) throws McpException, InterruptedException {
        var info = session(System.nanoTime() + timeout.toNanos()).info();
        if (info == null) {
            throw new IllegalStateException("a session without handshake");
        }
        return info;
    }

    /** Waits for the session where there is none; that it cannot be made means nothing was sent. */
    @Override
    public McpRequest send(String method, RawJson params, CallRound round, Duration timeout)
            throws McpException, InterruptedException {
        return send(method, params, ArgumentHeaders.NONE, round, timeout);
    }

    /**
     * The same, of a call.
     *
     * @param headers of the tool that is called: a modern server has some of its arguments as
     *     headers, too
     */
    public McpRequest send(
            String method,
            RawJson params,
            ArgumentHeaders headers,
            CallRound round,
            Duration timeout)
            throws McpException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        var session = session(round, deadline);
        round.requireEra(session.isModern());
        var call = new HttpCall(method, params, headers, round, deadline, inFlight);
        post(session, call);
        return call.request();
    }

    @Override
    public boolean mirrorsArguments() {
        return era == Era.MODERN;
    }

    @Override
    public boolean listens() {
        return era == Era.MODERN;
    }

    @Override
    public boolean listensToLists() {
        var session = newest.get();
        return session != null
                && session.isModern()
                && ModernMeta.listen(session.info(), List.of()) != null;
    }

    @Override
    public List<String> listen(Collection<String> uris, Duration timeout)
            throws McpException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        var session = session(deadline);
        if (!session.isModern()) {
            return List.copyOf(uris); // The server was replaced by an older one.
        }
        var params = ModernMeta.listen(session.info(), uris);
        if (params == null) {
            var _ = session.listensBy(null);
            return List.of();
        }
        var call = new HttpCall(ModernMeta.LISTEN, params, deadline, inFlight);
        if (!session.post(call)) {
            inFlight.fail(call.id(), HttpFailures.noSession());
        }
        if (closed) {
            inFlight.fail(call.id(), closedNow());
        }
        var taken = call.request().awaitAndTake(left(deadline));
        var server = session.info();
        if (session.listensBy(call) && server != null && server.announcesTools()) {
            listener.onToolsMissed(); // What was announced since the last response ended.
        }
        return ModernMeta.refused(uris, taken);
    }

    @Override
    public void reply(ServerQuestion question, RawJson result) {
        calls.reply(McpMessage.answer(question.id(), result));
    }

    @Override
    public void refuse(ServerQuestion question, ServerQuestion.Refusal why) {
        calls.reply(McpMessage.refuse(question.id(), why.code(), why.message()));
    }

    private HttpSession session(long deadlineNanos) throws McpException, InterruptedException {
        return session(CallRound.ONLY, deadlineNanos);
    }

    /** The address of a session stays as it is: what is sent through this one goes there. */
    private HttpSession session(CallRound round, long deadlineNanos)
            throws McpException, InterruptedException {
        while (true) {
            parts.target().renew(deadlineNanos);
            var url = parts.target().get().url();
            round.requireAddress(url);
            var session = sessions.get(url, deadlineNanos);
            if (round.url() == null || session.isUsable(url)) {
                return session;
            } // Another address may have been configured while it was made.
        }
    }

    private void post(HttpSession session, HttpCall call) {
        inFlight.sent();
        if (!session.post(call)) {
            sendAgain(call);
        }
        if (closed) {
            inFlight.fail(call.id(), closedNow());
        }
    }

    private HttpSession open(HttpTarget target, long deadlineNanos)
            throws McpException, InterruptedException {
        var session = new HttpSession(target, parts, calls);
        newest.set(session);
        boolean opened = false;
        try {
            session.connect(deadlineNanos);
            introduce(session, deadlineNanos);
            opened = true;
            if (hadSession) {
                session.missed(); // What the server announced in between no one received.
            } else {
                listener.onNoticesMissed(); // A worker before this one may have had a session.
            }
            hadSession = true;
            return session;
        } finally {
            if (!opened) {
                session.retire();
            }
        }
    }

    /**
     * Finds out how to speak with the server: as the last time, at first as before 2026, and
     * otherwise where that is refused.
     */
    private void introduce(HttpSession session, long deadlineNanos)
            throws McpException, InterruptedException {
        var first = era;
        try {
            introduce(session, first, deadlineNanos);
        } catch (McpException refused) {
            if (!mayBeOfOtherEra(refused)) {
                throw refused;
            }
            try {
                var other = first == Era.LEGACY ? Era.MODERN : Era.LEGACY;
                introduceOtherwise(session, other, deadlineNanos);
                era = other;
            } catch (McpException e) {
                throw mayBeOfOtherEra(e) ? refused : e;
            }
        }
    }

    /** The connection of the refusal may be closed when it is used again: then there is another. */
    private void introduceOtherwise(HttpSession session, Era as, long deadlineNanos)
            throws McpException, InterruptedException {
        try {
            introduce(session, as, deadlineNanos);
        } catch (McpException e) {
            if (e.kind() != McpException.Kind.UNREACHABLE) {
                throw e;
            }
            introduce(session, as, deadlineNanos);
        }
    }

    private void introduce(HttpSession session, Era as, long deadlineNanos)
            throws McpException, InterruptedException {
        boolean modern = as == Era.MODERN;
        session.speaks(modern ? new ModernMeta(parts.options()) : null);
        var call =
                modern
                        ? new HttpCall(
                                "server/discover", RawJson.EMPTY_OBJECT, deadlineNanos, inFlight)
                        : new HttpCall(
                                "initialize",
                                Json.raw(Initialize.of(parts.options())),
                                deadlineNanos,
                                inFlight);
        post(session, call);
        var result = call.request().awaitAndTake(left(deadlineNanos));
        if (modern) {
            session.discovered(ServerInfo.discovered(result));
        } else {
            var server = ServerInfo.read(result);
            if (!goesOnModern(session, server, deadlineNanos)) {
                session.introduced(server, deadlineNanos);
            }
        }
    }

    /**
     * A server that answers {@code initialize} with a revision that has none is spoken with as that
     * has it, unless it does not know itself how.
     */
    private boolean goesOnModern(HttpSession session, ServerInfo server, long deadlineNanos)
            throws McpException, InterruptedException {
        if (parts.transport() != HttpTransport.STREAMABLE
                || !ModernMeta.VERSION.equals(server.protocolVersion())) {
            return false;
        }
        try {
            introduce(session, Era.MODERN, deadlineNanos);
            era = Era.MODERN;
            return true;
        } catch (McpException e) {
            if (!mayBeOfOtherEra(e)) {
                throw e;
            }
            session.speaks(null);
            return false;
        }
    }

    /** Whether the server is there and does not understand; over SSE there is only one era. */
    private boolean mayBeOfOtherEra(McpException refused) {
        return parts.transport() == HttpTransport.STREAMABLE
                && switch (refused.kind()) {
                    case SERVER_ERROR, REQUEST_REFUSED, INVALID_ANSWER -> true;
                    case TIMEOUT,
                            UNREACHABLE,
                            UNAUTHORIZED,
                            FORBIDDEN,
                            AUTHORIZATION_REQUIRED,
                            RATE_LIMITED,
                            HTTP_REFUSED,
                            EGRESS_REFUSED,
                            HTTP_FAILED,
                            CRASHED,
                            CLOSED,
                            NOT_READ,
                            CANCELLED,
                            TOO_LARGE ->
                            false;
                };
    }

    /** With credentials that were asked for since; the same ones would be refused again. */
    private void sendRenewed(
            HttpSession session, HttpCall call, @Nullable HttpTarget carried, McpException why) {
        sendAgain(
                call,
                () -> {
                    renewAfter(why, call.deadlineNanos());
                    if (parts.target().get().equals(carried)) {
                        throw why;
                    }
                    sessions.outdate(session);
                });
    }

    /** Where nobody provides others, the refusal counts. */
    private void renewAfter(McpException refusal, long deadlineNanos)
            throws McpException, InterruptedException {
        try {
            parts.target().renew(deadlineNanos);
        } catch (McpException e) {
            if (e.kind() == McpException.Kind.UNREACHABLE) {
                throw e; // Whether others would be taken is not known.
            }
            refusal.addSuppressed(e);
            throw refusal;
        }
    }

    private void sendAgain(HttpCall call) {
        sendAgain(call, () -> {});
    }

    /** What is to be done before a call is sent once more, on a thread of its own. */
    private interface Preparation {
        void run() throws McpException, InterruptedException;
    }

    private void sendAgain(HttpCall call, Preparation first) {
        try {
            first.run();
            var session = session(call.round(), call.deadlineNanos());
            call.round().requireEra(session.isModern());
            post(session, call);
        } catch (McpException e) {
            inFlight.fail(call.id(), e);
        } catch (InterruptedException e) {
            inFlight.fail(call.id(), closedNow());
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("process_id", parts.processId())
                    .setCause(e)
                    .log("Session not renewed");
            inFlight.fail(call.id(), HttpFailures.broken(e, false, false));
        }
    }

    private static Duration left(long deadlineNanos) {
        return Duration.ofNanos(deadlineNanos - System.nanoTime());
    }

    private static McpException closedNow() {
        return new McpException(McpException.Kind.CLOSED, true, "The server is being removed");
    }

    /** Fails what is in flight and ends the session, in the time of a notice at most. */
    @Override
    public void close() {
        closed = true;
        inFlight.failAll(closedNow());
        sessions.close(parts.connections().options().noticeTimeout());
    }
}
