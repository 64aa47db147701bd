package dev.perigee.worker.mcp;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The stream (GET) on which a server over streamable HTTP sends messages of its own. Opened after
 * the handshake, so that it names the negotiated revision, and again whenever it ends, from where
 * it ended if events have ids, until the server does not offer it or the session is over. Refused
 * credentials are no end where others may come.
 *
 * <pre>
 *   idle ──begin, named──► open ──ended──► waiting ──pause over──► open
 *                            │                │
 *                            └─not offered────┴──close──► over
 * </pre>
 *
 * A stream that broke off is opened as soon as the server answers something else, so that it is
 * there before the tools are listed again. The pause doubles with each stream that brought nothing,
 * with jitter; the server's {@code retry:} and {@code Retry-After} go before, within bounds. Safe
 * for use by any thread; never blocks.
 */
final class NotificationStream implements EventFramer.Sink {
    private static final Duration MOST_PAUSE = Duration.ofMinutes(1);
    private static final Duration MOST_ASKED = Duration.ofMinutes(5);
    private static final long LASTING_NANOS = Duration.ofSeconds(30).toNanos();
    private static final int MAX_DOUBLINGS = 6;
    private static final double JITTER = 0.5;

    private final ConfiguredRequests requests;
    private final SessionHttpClient http;
    private final Session session;
    private final EventCursor cursor = new EventCursor();
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable String sessionId;
    private @Nullable Exchange current;
    private RequestDeadlines.@Nullable Deadline reopening;
    private boolean begun;
    private boolean over;
    private boolean offered;
    private boolean fruitful;
    private int fruitless;
    private boolean hurried;
    private long openedAtNanos;
    private volatile boolean hastens;

    /** Session that the stream belongs to. Must not block. */
    interface Session {
        Exchange streamExchange();

        /** A message of the server. */
        void received(String message);

        /** The stream is open again; the server does not send what came meanwhile. */
        void missed();

        /** The server does not know the session any more. */
        void forgotten();
    }

    NotificationStream(ConfiguredRequests requests, SessionHttpClient http, Session session) {
        this.requests = requests;
        this.http = http;
        this.session = session;
    }

    /** The server gave the session an id, without which there is no stream. */
    void named(@Nullable String id) {
        lock.lock();
        try {
            sessionId = id;
        } finally {
            lock.unlock();
        }
        open();
    }

    /** The handshake is done. */
    void begin() {
        lock.lock();
        try {
            begun = true;
        } finally {
            lock.unlock();
        }
        open();
    }

    private void openInTime() {
        lock.lock();
        try {
            hurried = false;
        } finally {
            lock.unlock();
        }
        open();
    }

    private void open() {
        String id;
        String last;
        Exchange exchange;
        lock.lock();
        try {
            if (!begun || over || sessionId == null || current != null) {
                return;
            }
            reopening = null;
            hastens = false;
            fruitful = false;
            exchange = session.streamExchange();
            current = exchange;
            id = sessionId;
            last = cursor.lastEventId();
        } finally {
            lock.unlock();
        }
        var _ =
                requests.stream(exchange, id, last)
                        .thenAccept(
                                request -> {
                                    var _ = http.send(request, exchange, _ -> opened(last));
                                })
                        .exceptionally(
                                _ -> {
                                    // The calls fail for the same reason, and say so.
                                    exchange.abandon();
                                    return null;
                                });
    }

    /** The server, which may have been away, is there. */
    void serverAnswers() {
        if (!hastens) {
            return;
        }
        lock.lock();
        try {
            if (reopening == null || !hastens) {
                return;
            }
            reopening.cancel();
            hurried = true;
        } finally {
            lock.unlock();
        }
        open();
    }

    private HttpResponse.BodySubscriber<Boolean> opened(@Nullable String from) {
        boolean gap;
        lock.lock();
        try {
            gap = offered && from == null;
            offered = true;
            hurried = false;
            openedAtNanos = System.nanoTime();
        } finally {
            lock.unlock();
        }
        if (gap) {
            session.missed();
        }
        return new StreamBody(this);
    }

    @Override
    public void message(String data) {
        lock.lock();
        try {
            fruitful = true;
        } finally {
            lock.unlock();
        }
        session.received(data);
    }

    @Override
    public void id(String id) {
        lock.lock();
        try {
            fruitful = true;
            cursor.id(id);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void retry(Duration asked) {
        lock.lock();
        try {
            fruitful = true;
            cursor.retry(asked);
        } finally {
            lock.unlock();
        }
    }

    /** A stream of this session ended. */
    void ended(Exchange exchange, ExchangeEnd end) {
        boolean forgotten;
        lock.lock();
        try {
            if (over || current != exchange) {
                return;
            }
            current = null;
            forgotten =
                    offered
                            && end instanceof ExchangeEnd.Refused refused
                            && HttpFailures.isSessionLost(refused);
            over = forgotten || !isWorthAnother(end);
            if (!over) {
                boolean lasted =
                        offered
                                && exchange.responded()
                                && System.nanoTime() - openedAtNanos > LASTING_NANOS;
                fruitless = fruitful || lasted ? 0 : Math.min(fruitless + 1, MAX_DOUBLINGS);
                // Once until there is a stream again: a server may answer calls and break each
                // stream.
                hastens =
                        end instanceof ExchangeEnd.Broken
                                && !hurried
                                && (!exchange.responded() || fruitless <= 1);
                reopening = RequestDeadlines.ofAll().after(nextPause(end), this::openInTime);
            }
        } finally {
            lock.unlock();
        }
        if (forgotten) {
            session.forgotten();
        }
    }

    private boolean isWorthAnother(ExchangeEnd end) {
        return switch (end) {
            case ExchangeEnd.Completed _,
                    ExchangeEnd.Broken _,
                    ExchangeEnd.TooLarge _,
                    ExchangeEnd.NoRoom _,
                    ExchangeEnd.NotUnderstood _ ->
                    true;
            case ExchangeEnd.Refused refused ->
                    isTransient(refused.status())
                            || (offered && requests.isRenewable() && refused.wantsAuthorization());
            case ExchangeEnd.Foreign _, ExchangeEnd.Redirected _, ExchangeEnd.Abandoned _ -> false;
        };
    }

    /**
     * What a server that offers no stream answers is not asked again: 405, and most of its kind.
     */
    private boolean isTransient(int status) {
        return switch (status) {
            case 408, 429, 502, 503, 504 -> true;
            default -> offered && status >= 500;
        };
    }

    private Duration nextPause(ExchangeEnd end) {
        var own = pause(cursor.pause(), fruitless, ThreadLocalRandom.current().nextDouble());
        var asked = end instanceof ExchangeEnd.Refused refused ? refused.retryAfter() : null;
        var least = asked == null ? Duration.ZERO : clamp(asked, Duration.ZERO, MOST_ASKED);
        return own.compareTo(least) < 0 ? least : own;
    }

    /**
     * The pause before another stream.
     *
     * @param first the server's, or ours
     * @param fruitless streams in a row that brought nothing
     * @param random from 0 to 1
     */
    static Duration pause(Duration first, int fruitless, double random) {
        long most = Math.max(first.toMillis(), MOST_PAUSE.toMillis());
        long doubled = Math.min(first.toMillis() << Math.min(fruitless, MAX_DOUBLINGS), most);
        return Duration.ofMillis(doubled + (long) (doubled * JITTER * random));
    }

    private static Duration clamp(Duration asked, Duration least, Duration most) {
        return Duration.ofMillis(Math.clamp(asked.toMillis(), least.toMillis(), most.toMillis()));
    }

    /** Ends the stream; none is opened any more. */
    void close() {
        Exchange open;
        lock.lock();
        try {
            over = true;
            open = current;
            current = null;
            if (reopening != null) {
                reopening.cancel();
                reopening = null;
            }
        } finally {
            lock.unlock();
        }
        if (open != null) {
            open.abandon();
        }
    }
}
