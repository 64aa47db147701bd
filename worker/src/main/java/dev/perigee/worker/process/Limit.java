package dev.perigee.worker.process;

import java.util.Locale;

/** The limits that end a server, by the names that the lifecycle topic has for them. */
public enum Limit {
    /** Memory, of one server or of all servers of a worker. */
    OOM,
    /** Processor time. */
    CPU,
    /** Bytes or files of its home. */
    DISK,
    /** Processes and threads, of one server or of all servers of a worker. */
    PIDS,
    /** Bytes that it reads from and writes to disks. */
    IO;

    /** As events and metrics have it, such as {@code oom}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
