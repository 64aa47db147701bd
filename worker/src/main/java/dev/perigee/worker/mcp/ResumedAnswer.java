package dev.perigee.worker.mcp;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * An answer whose stream a server of the legacy era ended, or lost, before it: it is waited for on
 * another stream (GET) that goes on behind the last event, and on as many more as it takes, until
 * it comes or its call is over, whose deadline is the only one. The request itself is not sent
 * again. Before each stream there is the pause that the server asks for; it grows to eight times as
 * much while streams bring nothing. A server that refuses the stream, other than for now, or that
 * cannot be reached three times in a row, is taken to have lost the answer. A stream that is silent
 * for 5 s, growing to 40 s, is left for the next: its connection may be dead, and there are servers
 * that tell what comes later only to who asks again. One stream at a time; never blocks.
 */
final class ResumedAnswer implements EventFramer.Sink {
    private static final int MAX_DOUBLINGS = 3;
    private static final int MAX_UNREACHED = 3;
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private final HttpCall call;
    private final EventCursor cursor;
    private final @Nullable String sessionId;
    private final McpException lost;
    private final Session session;
    private volatile boolean fruitful;
    private volatile int fruitless;
    private volatile int unreached;
    private volatile boolean renewed;
    private volatile long heardAt;
    private volatile RequestDeadlines.@Nullable Deadline turn;
    private volatile RequestDeadlines.@Nullable Deadline silence;

    /** Session that the call belongs to. Must not block. */
    interface Session {
        /**
         * Begins a stream behind the last event; the end of its exchange tells what becomes of it.
         */
        Exchange follow(ResumedAnswer answer);

        /** A message of the server. */
        void received(String message);

        /** Whether other credentials may be had after these were refused. */
        boolean isRenewable();

        /** The answer will not come. */
        void failed(HttpCall call, McpException why);
    }

    /**
     * The rest of an answer.
     *
     * @param cursor where its stream ended
     * @param sessionId that its request named, null for none
     * @param lost the call's failure where the server has no rest of it
     */
    ResumedAnswer(
            HttpCall call,
            EventCursor cursor,
            @Nullable String sessionId,
            McpException lost,
            Session session) {
        this.call = call;
        this.cursor = cursor;
        this.sessionId = sessionId;
        this.lost = lost;
        this.session = session;
    }

    HttpCall call() {
        return call;
    }

    @Nullable String sessionId() {
        return sessionId;
    }

    @Nullable String lastEventId() {
        return cursor.lastEventId();
    }

    /** After the pause, at the end of the answer's own stream and of each that follows. */
    void begin() {
        begin(Duration.ZERO);
    }

    private void begin(Duration least) {
        var random = ThreadLocalRandom.current().nextDouble();
        var pause = NotificationStream.pause(cursor.pause(), fruitless, random);
        turn =
                RequestDeadlines.ofAll()
                        .after(pause.compareTo(least) < 0 ? least : pause, this::goOn);
        if (call.isOver()) {
            forget();
        }
    }

    /** The call is over: nothing of it is held any more. Any thread. */
    void forget() {
        cancel(turn);
        cancel(silence);
    }

    private static void cancel(RequestDeadlines.@Nullable Deadline deadline) {
        if (deadline != null) {
            deadline.cancel();
        }
    }

    private void goOn() {
        if (call.isOver()) {
            return;
        }
        if (lastEventId() == null) {
            session.failed(call, lost); // The server took its last id back.
            return;
        }
        fruitful = false;
        heardAt = System.nanoTime();
        watch(session.follow(this));
    }

    private void watch(Exchange stream) {
        if (stream.isOver() || call.isOver()) {
            return;
        }
        long left = heardAt + (SILENCE.toNanos() << fruitless) - System.nanoTime();
        if (left > 0) {
            silence = RequestDeadlines.ofAll().after(Duration.ofNanos(left), () -> watch(stream));
            if (stream.isOver() || call.isOver()) {
                cancel(silence);
            }
        } else {
            stream.end(new ExchangeEnd.Completed());
            stream.abandon();
        }
    }

    @Override
    public void message(String data) {
        fruitful = true;
        heardAt = System.nanoTime();
        session.received(data);
    }

    @Override
    public void id(String id) {
        fruitful = true;
        cursor.id(id);
    }

    @Override
    public void retry(Duration pause) {
        cursor.retry(pause);
    }

    /** A stream of it ended. */
    void ended(Exchange exchange, ExchangeEnd end) {
        cancel(silence);
        if (call.isOver()) {
            return;
        }
        fruitless = fruitful ? 0 : Math.min(fruitless + 1, MAX_DOUBLINGS);
        unreached = end instanceof ExchangeEnd.Broken && !exchange.responded() ? unreached + 1 : 0;
        switch (end) {
            case ExchangeEnd.Completed _ -> begin();
            case ExchangeEnd.Broken(var cause) -> {
                if (isOwnRefusal(cause)) {
                    session.failed(call, lost);
                } else if (unreached < MAX_UNREACHED) {
                    begin();
                } else {
                    session.failed(call, HttpFailures.broken(cause, true, false));
                }
            }
            case ExchangeEnd.Refused refused -> refused(refused);
            case ExchangeEnd.TooLarge _, ExchangeEnd.NoRoom _ ->
                    session.failed(call, orLost(exchange.failure(end)));
            case ExchangeEnd.Foreign _,
                    ExchangeEnd.Redirected _,
                    ExchangeEnd.NotUnderstood _,
                    ExchangeEnd.Abandoned _ ->
                    session.failed(call, lost);
        }
    }

    /**
     * A server that has not seen yet that the stream before is gone answers with a conflict. What
     * refuses the credentials is asked once more, with newer ones.
     */
    private void refused(ExchangeEnd.Refused refused) {
        switch (refused.status()) {
            case 409, 429, 502, 503, 504 -> {
                var asked = refused.retryAfter();
                begin(asked == null ? Duration.ZERO : EventCursor.bounded(asked));
            }
            default -> {
                if (refused.wantsAuthorization() && session.isRenewable() && !renewed) {
                    renewed = true;
                    begin();
                } else {
                    session.failed(call, lost);
                }
            }
        }
    }

    /** Of the stream, by the worker itself: that the request was sent before is not in it. */
    private static boolean isOwnRefusal(Throwable thrown) {
        for (@Nullable Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof McpException) {
                return true;
            }
        }
        return false;
    }

    private McpException orLost(@Nullable McpException why) {
        return why == null ? lost : why;
    }
}
