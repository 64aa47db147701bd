package dev.perigee.worker.process.isolation;

import java.nio.file.Path;

/** Place where the memory of jails can be limited on this host. */
sealed interface MemoryPlace {

    /**
     * Here.
     *
     * @param parent the group below which groups can be made
     * @param unified whether it is of cgroup v2
     */
    record Found(Path parent, boolean unified) implements MemoryPlace {}

    /** Nowhere. */
    record Missing(String why) implements MemoryPlace {}
}
