package dev.perigee.worker.session;

/** What a full journal does with a process that goes on talking. */
public enum WhenFull {
    /** Nothing is lost: its output is not read, so that it waits. */
    PAUSE,
    /**
     * The oldest output goes. A process whose output is then missed by a gateway is ended, since
     * nobody can tell any more what it did.
     */
    EVICT
}
