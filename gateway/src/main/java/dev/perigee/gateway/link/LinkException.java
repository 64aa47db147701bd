package dev.perigee.gateway.link;

import org.jspecify.annotations.Nullable;

/**
 * A call over the link that got no answer of the worker's. The message is stable and for people;
 * {@link #reason} decides. Without a stack trace: when a link fails, every waiter gets one of these
 * at once.
 */
public final class LinkException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What became of the call. */
    public enum Reason {
        /**
         * The call's own deadline passed. Its effect, if {@link #mayHaveRun}, still comes as an
         * event.
         */
        DEADLINE,
        /** The worker has no room, and had none until the deadline was near. */
        OVERLOADED,
        /** The worker is leaving and takes nothing new. */
        DRAINING,
        /** The order is larger than a frame may be. */
        TOO_LARGE,
        /** A higher epoch has the partition. */
        FENCED,
        /** The session is gone; {@link #failure} says why. */
        LOST,
        /** This gateway detached from the session. */
        DETACHED,
        /** The worker answered with an error that only a bug explains. */
        REJECTED
    }

    private final Reason reason;
    private final @Nullable LinkFailure failure;
    private final boolean mayHaveRun;

    /**
     * A call that a {@link PartitionLink} could not complete.
     *
     * @param failure why the session is gone, for {@link Reason#LOST}; null otherwise
     * @param mayHaveRun false when the order certainly never reached a worker that accepted it
     */
    public LinkException(
            Reason reason, @Nullable LinkFailure failure, boolean mayHaveRun, String message) {
        super(message, null, false, false);
        this.reason = reason;
        this.failure = failure;
        this.mayHaveRun = mayHaveRun;
    }

    public Reason reason() {
        return reason;
    }

    /** Of {@link Reason#LOST}: why. Null otherwise. */
    public @Nullable LinkFailure failure() {
        return failure;
    }

    /** False when the order certainly never reached a worker that accepted it. */
    public boolean mayHaveRun() {
        return mayHaveRun;
    }
}
