package dev.perigee.worker;

/** Purpose of a worker. */
public enum WorkerMode {
    /** A developer's own servers on a developer's machine. */
    DEVELOPMENT,
    /** Servers of other people. */
    PRODUCTION
}
