package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkException;
import dev.perigee.gateway.placement.Move.Manner;
import dev.perigee.protocol.link.Attach;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * State machine of a partition's planned move off its worker. For the owner's thread.
 *
 * <pre>
 *   Served ──▶ Finishing ──▶ Committing ──▶ Released ──▶ the session ends, it is placed anew
 *     ▲  calls wait │              │  the worker ends all processes; what they say is still taken
 *     └─────────────┴──────────────┘
 *       takes too long, and it may stay
 * </pre>
 *
 * Finishing waits until calls at the worker have their answers; one that must go does not wait for
 * longer than it may. Committing waits until the offsets of answered requests are committed: the
 * worker forgets them with the session, so only the commit protects the next owner from answering
 * them again. Without a broker the partition stays where it is: it could not be placed anew either.
 *
 * <p>In a move of manner IDLE the worker decides: it releases the session only when it is idle, so
 * nothing is held back for a move that does not happen.
 */
final class Departure {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration ASK_LIMIT = Duration.ofSeconds(10);

    /** Listener to the outcome of a planned move; on the owner's thread. */
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
    private Manner manner = Manner.IDLE;
    private boolean finished;
    private boolean asked;
    private long toCommit;
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
        return leaving != null && manner != Manner.IDLE;
    }

    /** Begins to leave, unless there is nothing to leave. */
    void begin(Manner how, Listener onEnd) {
        var session = context.serving();
        if (session == null || leaving != null) {
            onEnd.stayed(context.partition(), 0, 0);
            return;
        }
        listener = onEnd;
        manner = how;
        leaving = session;
        if (how != Manner.IDLE) {
            session.close();
        }
        timer =
                how == Manner.FORCED
                        ? context.timers()
                                .after(context.services().times().callWait(), this::finish)
                        : context.timers().after(PATIENCE, () -> giveUp(session));
        proceed();
    }

    /** A session was resumed that an earlier owner had released. */
    void goOn(Session session) {
        over();
        close(session);
        ask(session);
    }

    /** Something happened: perhaps the last call is done, or a commit succeeded. */
    void proceed() {
        var session = leaving;
        if (session == null || asked) {
            return;
        }
        if (!finished && !hasCallsToFinish()) {
            finish();
        }
        if (finished && context.feed().isCommitted(toCommit)) {
            cancelTimer();
            ask(session);
        }
    }

    private boolean hasCallsToFinish() {
        return calls.isAnswering() || (manner != Manner.IDLE && calls.hasCallsAtWorker());
    }

    private void finish() {
        if (!finished) {
            finished = true;
            toCommit = context.feed().requestsDone();
            context.feed().commitSoon();
        }
    }

    /** The session is over, however that came. */
    void over() {
        leaving = null;
        finished = false;
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

    /** From now on the session only ends. */
    private void close(Session session) {
        leaving = session;
        manner = Manner.FORCED;
        session.close();
    }

    private void giveUp(Session session) {
        if (leaving == session && !asked) {
            boolean wasClosed = manner != Manner.IDLE;
            over();
            stays(0, 1);
            if (wasClosed) {
                session.reopen();
                stay.run();
            }
        }
    }

    private void ask(Session session) {
        asked = true;
        session.release();
        boolean onlyIdle = manner == Manner.IDLE;
        var deadline = context.services().clock().instant().plus(ASK_LIMIT);
        Thread.ofVirtual()
                .name("release-" + context.partition())
                .start(
                        () -> {
                            try {
                                var answer = session.link().release(onlyIdle, deadline);
                                context.mailbox().post(() -> answered(session, answer));
                            } catch (LinkException e) {
                                context.mailbox().post(() -> failed(session));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private void answered(Session session, Attach.Released answer) {
        if (leaving != session) {
            return;
        }
        if (answer.ending()) {
            close(session);
        } else {
            over();
            session.keep();
            stays(answer.processes(), answer.requests());
        }
    }

    /** The release got no answer; the end of the session is its listener's to handle. */
    private void failed(Session session) {
        if (leaving != session) {
            return;
        }
        if (manner == Manner.IDLE) {
            over();
            session.keep();
            stays(0, 1);
        } else {
            timer = context.timers().after(PATIENCE, () -> askAgain(session));
        }
    }

    private void askAgain(Session session) {
        if (leaving == session) {
            ask(session);
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
