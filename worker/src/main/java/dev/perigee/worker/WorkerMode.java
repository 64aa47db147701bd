package dev.perigee.worker;

/** What a worker is for. */
public enum WorkerMode {
    /** Trusted servers on a developer's machine. */
    DEVELOPMENT,
    /** Servers of other people. */
    PRODUCTION
}
