package dev.perigee.gateway.partition;

/** States of a partition's owner. */
public enum OwnerState {
    /** Claiming, and reading what is wanted. */
    RESTORING,
    /** Waiting for a worker that may have the partition. */
    PLACING,
    /** Waiting for the worker to take the session. */
    ATTACHING,
    /** Everything goes through. */
    SERVING,
    /** Leaving a worker: nothing new is sent, calls finish, the worker ends everything. */
    MOVING,
    /** The tenure is over. */
    ENDED
}
