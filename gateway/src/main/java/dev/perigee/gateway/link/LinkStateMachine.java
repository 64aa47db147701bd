package dev.perigee.gateway.link;

import java.time.Duration;

/**
 * State machine of the link to one worker. Pure, for one thread at a time. Times are in nanoseconds
 * of one monotonic clock.
 *
 * <pre>
 *                     established
 *  CONNECTING ───────────────────────────▶ CONNECTED ◀───────────────┐
 *                                            │   ▲                   │
 *         this generation's connection closed│   │established        │established: begins anew,
 *                                            ▼   │                   │old sessions are gone
 *                                         RECOVERING ───────────▶ FAILED
 *                                                 deadline, a permanent
 *                                                 refusal, or its death
 * </pre>
 *
 * A connection is a generation. A close that belongs to an older one changes nothing, and one that
 * belongs to an attempt that was not established yet only ends that attempt: the deadline stays
 * where the first close put it, so a flapping connection does not outlive the worker's retention.
 * The deadline is the worker's announced retention minus a margin after the close was noticed; it
 * is authoritative whenever {@link #expire} is asked, however late.
 */
final class LinkStateMachine {
    /** What a step did. */
    enum Change {
        NONE,
        CONNECTED,
        SUSPENDED,
        FAILED,
        /** Failed, and the worker's process is dead. */
        DEAD
    }

    private static final long NO_GENERATION = 0;

    private final Duration margin;
    private LinkState state = LinkState.CONNECTING;
    private long newest = NO_GENERATION;
    private long current = NO_GENERATION;
    private long windowNanos;
    private long deadline;

    LinkStateMachine(Duration margin) {
        this.margin = margin;
    }

    LinkState state() {
        return state;
    }

    /** Begins an attempt to connect and numbers it. */
    long beginAttempt() {
        return ++newest;
    }

    /**
     * The connection of an attempt took over: hello is done and every session is attached again or
     * known to be gone. Only the newest attempt can.
     */
    Change established(long generation, Duration retention) {
        if (generation != newest || generation == current) {
            return Change.NONE;
        }
        state = LinkState.CONNECTED;
        current = generation;
        windowNanos = Math.max(0, retention.minus(margin).toNanos());
        return Change.CONNECTED;
    }

    /** A connection closed. */
    Change closed(long generation, long now) {
        if (state != LinkState.CONNECTED || generation != current) {
            return Change.NONE;
        }
        state = LinkState.RECOVERING;
        deadline = now + windowNanos;
        return Change.SUSPENDED;
    }

    /** The worker refused this gateway in a way that a retry does not change. */
    Change refused(long generation) {
        return state == LinkState.RECOVERING && generation == newest ? fail() : Change.NONE;
    }

    /** The worker's process is proved dead: nothing comes back. */
    Change died() {
        if (state != LinkState.RECOVERING) {
            return Change.NONE;
        }
        state = LinkState.FAILED;
        return Change.DEAD;
    }

    /** Fails the link when its deadline has passed. */
    Change expire(long now) {
        return state == LinkState.RECOVERING && deadline - now <= 0 ? fail() : Change.NONE;
    }

    /** Time left to recover, never negative; {@link Long#MAX_VALUE} where no deadline runs. */
    long nanosLeft(long now) {
        return state == LinkState.RECOVERING ? Math.max(0, deadline - now) : Long.MAX_VALUE;
    }

    private Change fail() {
        state = LinkState.FAILED;
        return Change.FAILED;
    }
}
