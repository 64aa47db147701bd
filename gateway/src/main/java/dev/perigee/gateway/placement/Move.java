package dev.perigee.gateway.placement;

/** A partition that is to leave its worker. */
public record Move(int partition, Manner manner) {

    /** Manner of a move: what it may interrupt. */
    public enum Manner {
        /** Nothing: only when no process lives and no request runs. */
        IDLE,
        /** Processes, but no call: it waits for them a moment and gives up. */
        QUIET,
        /** The worker leaves: after waiting for calls, with those that are left. */
        FORCED
    }
}
