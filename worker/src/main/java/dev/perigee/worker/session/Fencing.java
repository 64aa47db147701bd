package dev.perigee.worker.session;

import dev.perigee.protocol.link.LinkError;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Decides who has the session of one partition. Pure: told what happens and when, it answers; its
 * owner holds a lock around it and acts.
 *
 * <pre>
 *              attach, create, epoch above all held before
 *   None ─────────────────────────────────────────────────▶ Attached ◀──┐ higher epoch, or same
 *    ▲                                                      │  │   ▲  └──┘ epoch and gateway, newer
 *    │ expire, at or after the deadline           detach by │  │   │       generation: takes over
 *    │                                            the owner ▼  │   │
 *    └───────────────────────────────────────────── Detached   │   │ attach before the deadline
 *                                                      └───────┼───┘
 *    ◀─────────────────────────────────────────────────────────┘ end (shutdown)
 * </pre>
 *
 * <p>A lower epoch than the highest ever seen is fenced, for the worker's life. The deadline is
 * authoritative: an attach that comes after it finds no session, whether or not a timer ran.
 *
 * <p>A session goes on for its retention after it was last held: by a connection that is attached
 * and whose gateway has a lease. So the deadline comes from the end of the lease while a gateway is
 * attached, and a connection that is lost later than that, or comes back without a newer lease,
 * does not move it. A gateway that says nothing of leases holds while it is attached.
 *
 * <p>"Epoch and fencing" in {@code docs/concepts.md} says what it is for.
 */
final class Fencing {
    private static final long NEVER = -1;

    /** Who asks: one connection of one gateway. */
    record Claimant(String gatewayId, long epoch, long generation) {}

    /** What an attach led to. */
    sealed interface Decision {
        /** There is a new session; what the expired one left must be ended first. */
        record Created() implements Decision {}

        /**
         * The session goes on, attached to the claimant now.
         *
         * @param fenced true when somebody with a lower epoch was attached and must be told
         */
        record Resumed(boolean fenced) implements Decision {}

        /** Nothing changed. */
        record Refused(LinkError error, String message) implements Decision {}
    }

    private final Duration retention;
    private long highestSeen = NEVER;
    private long highestHeld = NEVER;
    private boolean exists;
    private @Nullable Claimant attached;
    private @Nullable Claimant last;
    private @Nullable Instant deadline;

    Fencing(Duration retention) {
        this.retention = retention;
    }

    /** The highest epoch under which there was a session, -1 when there never was one. */
    long epoch() {
        return highestHeld;
    }

    /** Whether there is a session; the owner has expired it first if it was due. */
    boolean exists() {
        return exists;
    }

    /** Who is attached now. */
    @Nullable Claimant attached() {
        return attached;
    }

    /** When the session ends; null while nothing ends it, or there is none. */
    @Nullable Instant deadline() {
        return deadline;
    }

    /**
     * Ends the session if its deadline has come. A timer of an earlier detach or lease finds a
     * later deadline, or none, and has no effect.
     *
     * @return whether it ended now
     */
    boolean expire(Instant now) {
        if (!exists || deadline == null || now.isBefore(deadline)) {
            return false;
        }
        end();
        return true;
    }

    /**
     * An attach. Ask {@link #expire} first.
     *
     * @param leaseEnd of the claimant's lease; null for one that has none to lose
     */
    Decision attach(Claimant claimant, boolean create, @Nullable Instant leaseEnd) {
        if (claimant.epoch() < highestSeen) {
            return refuse(
                    LinkError.FENCED,
                    "epoch " + highestSeen + " was here: the partition is not yours any more");
        }
        highestSeen = claimant.epoch();
        return exists ? resume(claimant, leaseEnd) : create(claimant, create, leaseEnd);
    }

    private Decision create(Claimant claimant, boolean create, @Nullable Instant leaseEnd) {
        if (!create) {
            return refuse(LinkError.SESSION_EXPIRED, "no session: create one with a fresh claim");
        }
        if (claimant.epoch() <= highestHeld) {
            return refuse(
                    LinkError.SESSION_EXPIRED,
                    "the session of epoch " + highestHeld + " is over: claim the partition again");
        }
        exists = true;
        hold(claimant, leaseEnd);
        return new Decision.Created();
    }

    private Decision resume(Claimant claimant, @Nullable Instant leaseEnd) {
        if (claimant.epoch() > highestHeld) {
            boolean fenced = attached != null;
            hold(claimant, leaseEnd);
            return new Decision.Resumed(fenced);
        }
        if (last != null && !last.gatewayId().equals(claimant.gatewayId())) {
            return refuse(
                    LinkError.FENCED,
                    "epoch " + claimant.epoch() + " is another gateway's claim: claim again");
        }
        if (attached != null && claimant.generation() <= attached.generation()) {
            return refuse(
                    LinkError.ALREADY_ATTACHED,
                    "generation "
                            + attached.generation()
                            + " is attached: retry until it detaches");
        }
        hold(claimant, leaseEnd);
        return new Decision.Resumed(false);
    }

    private void hold(Claimant claimant, @Nullable Instant leaseEnd) {
        highestHeld = claimant.epoch();
        attached = claimant;
        last = claimant;
        deadline = leaseEnd == null ? null : leaseEnd.plus(retention);
    }

    /** The lease of the attached connection's gateway ends then, or later if it was longer. */
    void extend(Instant leaseEnd) {
        var candidate = leaseEnd.plus(retention);
        if (attached != null && (deadline == null || deadline.isBefore(candidate))) {
            deadline = candidate;
        }
    }

    /** The attached connection left; its owner has made sure that it is the attached one. */
    void detach(Instant now) {
        attached = null;
        var candidate = now.plus(retention);
        if (deadline == null || candidate.isBefore(deadline)) {
            deadline = candidate;
        }
    }

    /** The session is over, whoever is attached. */
    void end() {
        exists = false;
        attached = null;
        last = null;
        deadline = null;
    }

    private static Decision refuse(LinkError error, String message) {
        return new Decision.Refused(error, message);
    }
}
