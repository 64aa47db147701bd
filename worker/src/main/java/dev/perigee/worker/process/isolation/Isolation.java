package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.LaunchSpec;

/**
 * Encloses programs, one way for the whole life of a worker. Thread-safe.
 *
 * <p>Source: seeds/process-management.txt, "Spawning Modes".
 */
public interface Isolation {

    /** As heartbeats say it: {@code none}, {@code bubblewrap} or {@code nsjail}. */
    String name();

    /** What to launch so that the program runs enclosed. */
    LaunchSpec enclose(ServerProgram program);

    /**
     * The {@code PATH} in which an enclosed program finds others; empty when it has none. What is
     * found in it here is what the program finds inside.
     */
    default String searchPath(ServerProgram program) {
        return enclose(program).environment().getOrDefault("PATH", "");
    }

    /** Where a team's cache for a runtime is. It is made when it is not there. */
    CacheDirectory cache(ServerRuntime runtime, String teamId);
}
