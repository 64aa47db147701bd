package dev.perigee.worker.process.isolation;

/** Isolation of servers. */
enum IsolationMode {
    /** A jail, by bubblewrap where it is installed, else by nsjail. */
    AUTO,
    /** Not at all: servers that are trusted. */
    NONE,
    /** By bubblewrap and prlimit, and by nothing else. */
    BUBBLEWRAP,
    /** By nsjail, and by nothing else. */
    NSJAIL;

    /** What {@link #NONE} is for, at the end of a sentence. */
    static final String TRUSTED = "set isolation.mode=none if all servers are trusted";
}
