package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.util.Set;

/** Place where the memory of jails, and perhaps more, can be limited on this host. */
sealed interface MemoryPlace {

    /**
     * Here.
     *
     * @param parent the group below which groups can be made
     * @param unified whether it is of cgroup v2
     * @param controllers that groups below it have, by their names in the kernel
     */
    record Found(Path parent, boolean unified, Set<String> controllers) implements MemoryPlace {
        public Found {
            controllers = Set.copyOf(controllers);
        }

        boolean has(String controller) {
            return controllers.contains(controller);
        }
    }

    /** Nowhere. */
    record Missing(String why) implements MemoryPlace {}
}
