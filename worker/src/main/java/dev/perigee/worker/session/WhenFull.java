package dev.perigee.worker.session;

/** Policy of a full journal for a process that continues to write. */
public enum WhenFull {
    /** Backpressure: its output is not read, so nothing is lost. */
    PAUSE,
    /**
     * Evicts the oldest output. A process with a gap in the output that a gateway reads is ended,
     * since its history is incomplete.
     */
    EVICT
}
