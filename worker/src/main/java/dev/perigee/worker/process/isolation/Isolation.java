package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.LaunchSpec;

/**
 * Encloses programs, one way for the whole life of a worker. Thread-safe. A program that was
 * enclosed must be launched: what was set up for it is released when that launch ends or fails.
 *
 * <p>Source: seeds/process-management.txt, "Spawning Modes".
 */
public interface Isolation extends AutoCloseable {

    /** {@code none}, {@code bubblewrap} or {@code nsjail}. */
    String name();

    /** As heartbeats say it: the name, and what of its policy this host does not let it enforce. */
    default String description() {
        return name();
    }

    /**
     * What to launch so that the program runs enclosed.
     *
     * @throws java.io.UncheckedIOException when the host does not let it be prepared
     */
    LaunchSpec enclose(ServerProgram program);

    /**
     * The {@code PATH} in which an enclosed program finds others; empty when it has none. What is
     * found in it here is what the program finds inside.
     */
    String searchPath(ServerProgram program);

    /** Where a team's cache for a runtime is. It is made when it is not there. */
    CacheDirectory cache(ServerRuntime runtime, String teamId);

    /** Gives back what is kept on the host; nothing enclosed lives any more. */
    @Override
    default void close() {}
}
