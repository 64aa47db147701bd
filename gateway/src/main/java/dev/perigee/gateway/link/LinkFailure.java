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
     * The worker was not reached in time, or refuses this gateway for good. Its processes may live
     * on for a while: see {@code placement} before the partition goes elsewhere.
     */
    UNREACHABLE,
    /** The worker takes nothing new: place the partition elsewhere. */
    DRAINING,
    /**
     * The worker refused to attach for a reason that repeating does not change: a bug on one side.
     */
    REFUSED
}
