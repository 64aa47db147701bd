package dev.perigee.gateway.link;

/** Why a session is gone: a code decides what the owner of the partition does next. */
public enum LinkFailure {
    /**
     * The worker no longer has the session and has ended its processes: claim again, create a new
     * session, apply the desired state.
     */
    EXPIRED,
    /** The worker process is a new one: as {@link #EXPIRED}, the old processes are known dead. */
    INCARNATION_CHANGED,
    /**
     * The worker's process is dead, and its watchdog has had the time to end what it ran: place the
     * partition anywhere at once.
     */
    DEAD,
    /**
     * The worker was not reached in time, or refuses this gateway for good. Its processes may live
     * on for a while: see {@code placement} before the partition goes elsewhere.
     */
    UNREACHABLE,
    /** The worker leaves and has nothing of the partition: place it elsewhere at once. */
    DRAINING,
    /**
     * The worker ended the session and all its processes, because it was asked to or because it
     * stops, and everything they said was acknowledged: place the partition anywhere at once.
     */
    ENDED,
    /**
     * The worker refused to attach for a reason that repeating does not change: a bug on one side.
     */
    REFUSED
}
