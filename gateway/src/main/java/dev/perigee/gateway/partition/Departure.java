package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkException;
import dev.perigee.gateway.placement.Move.Manner;
import dev.perigee.protocol.link.Attach;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a partition leaves its worker. For the owner's thread.
 *
 * <pre>
 *   Served ──▶ Finishing ──▶ Released ──▶ the session ends, and the partition is placed anew
 *     ▲  calls wait │  │ calls are done, or were waited for long enough and must go
 *     └─────────────┘  └──▶ the worker ends all processes; what they say is still taken
 *       calls took too long and may stay
 * </pre>
 *
 * Where nothing may be lost the worker decides: it releases the session only when it is idle, so
 * nothing is held back for a move that does not happen.
 */
final class Departure {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration ASK_LIMIT = Duration.ofSeconds(10);

    /** Hears what became of a move; on the owner's thread. */
    interface Listener {
        /** It stays where it is, with this many processes and requests. */
        void stayed(int partition, int processes, int requests);

        /** It is served again. */
        void served(int partition);
    }

    private final PartitionContext context;
    private final CallFlow calls;
    private final Runnable stay;
    private @Nullable Session leaving;
    private @Nullable Listener listener;
    private boolean asked;
    private Timers.@Nullable Entry timer;

    /**
     * @param stay serves a session again that was about to leave
     */
    Departure(PartitionContext context, CallFlow calls, Runnable stay) {
        this.context = context;
        this.calls = calls;
        this.stay = stay;
    }

    /** True while nothing new may be sent. */
    boolean isUnderWay() {
        return leaving != null;
    }

    /** Begins to leave, unless there is nothing to leave. */
    void begin(Manner manner, Listener told) {
        var session = context.serving();
        if (session == null || leaving != null) {
            told.stayed(context.partition(), 0, 0);
            return;
        }
        listener = told;
        switch (manner) {
            case IDLE -> ask(session, true);
            case QUIET -> {
                close(session);
                timer = context.timers().after(PATIENCE, () -> giveUp(session));
            }
            case FORCED -> {
                close(session);
                timer =
                        context.timers()
                                .after(
                                        context.services().times().callWait(),
                                        () -> release(session));
            }
        }
    }

    /** A session was resumed that an earlier owner had released. */
    void goOn(Session session) {
        close(session);
        release(session);
    }

    /** Something happened: perhaps the last call is done. */
    void proceed() {
        var session = leaving;
        if (session != null && !asked && !calls.hasCallsAtWorker()) {
            release(session);
        }
    }

    /** The session is over, however that came. */
    void over() {
        leaving = null;
        asked = false;
        cancelTimer();
    }

    /** The partition is served. */
    void served() {
        var told = listener;
        listener = null;
        if (told != null) {
            told.served(context.partition());
        }
    }

    private void close(Session session) {
        leaving = session;
        asked = false;
        session.close();
    }

    private void giveUp(Session session) {
        if (leaving == session && !asked) {
            over();
            session.reopen();
            stays(0, 1);
            stay.run();
        }
    }

    private void release(Session session) {
        if (leaving == session) {
            cancelTimer();
            asked = true;
            ask(session, false);
        }
    }

    private void ask(Session session, boolean onlyIdle) {
        var deadline = context.services().clock().instant().plus(ASK_LIMIT);
        Thread.ofVirtual()
                .name("release-" + context.partition())
                .start(
                        () -> {
                            try {
                                var answer = session.link().release(onlyIdle, deadline);
                                context.mailbox().post(() -> answered(session, answer));
                            } catch (LinkException e) {
                                context.mailbox().post(() -> failed(session, onlyIdle));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private void answered(Session session, Attach.Released answer) {
        if (context.session() != session) {
            return;
        }
        if (answer.ending()) {
            close(session);
            asked = true;
        } else {
            stays(answer.processes(), answer.requests());
        }
    }

    /** Of a session that is over its listener hears. */
    private void failed(Session session, boolean onlyIdle) {
        if (context.session() != session) {
            return;
        }
        if (onlyIdle) {
            stays(0, 1);
        } else {
            timer = context.timers().after(PATIENCE, () -> release(session));
        }
    }

    private void stays(int processes, int requests) {
        var told = listener;
        listener = null;
        if (told != null) {
            told.stayed(context.partition(), processes, requests);
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
