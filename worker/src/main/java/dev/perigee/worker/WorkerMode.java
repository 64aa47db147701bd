package dev.perigee.worker;

/** What a worker is for. */
public enum WorkerMode {
    /** A developer's own servers on a developer's machine. */
    DEVELOPMENT,
    /** Servers of other people. */
    PRODUCTION
}
