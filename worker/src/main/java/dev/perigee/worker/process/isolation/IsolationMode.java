package dev.perigee.worker.process.isolation;

/** How servers are kept apart. */
enum IsolationMode {
    /** A jail in production, none in development. */
    AUTO,
    /** Not at all: servers that are trusted. */
    NONE,
    /** By bubblewrap and prlimit. */
    BUBBLEWRAP,
    /** By nsjail. */
    NSJAIL
}
