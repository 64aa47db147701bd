package dev.perigee.gateway.link;

/** States of the link to one worker. */
public enum LinkState {
    /** Never reached so far: dialled without a deadline; partitions wait. */
    CONNECTING,
    /** Calls use the current connection. */
    CONNECTED,
    /** The connection is gone, its sessions are not: new calls wait, the deadline runs. */
    RECOVERING,
    /** Its sessions are lost. Dialled on: a worker that answers again begins anew. */
    FAILED
}
