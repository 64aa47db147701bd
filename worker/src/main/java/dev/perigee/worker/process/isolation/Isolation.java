package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.LaunchSpec;
import java.nio.file.Path;

/**
 * Encloses programs, one way for the whole life of a worker. Thread-safe. A program that was
 * enclosed must be launched: what was set up for it is released when that launch ends or fails.
 *
 * <p>Methods that touch the host's file system throw {@link java.io.UncheckedIOException} when it
 * does not let them.
 */
public interface Isolation extends AutoCloseable {

    /** {@code none}, {@code bubblewrap} or {@code nsjail}. */
    String name();

    /** As heartbeats say it: the name, and what of its policy this host does not let it enforce. */
    default String description() {
        return name();
    }

    /** What to launch so that the program runs enclosed, with what all may reach. */
    default LaunchSpec enclose(ServerProgram program) {
        return enclose(program, ProgramEgress.OF_ALL);
    }

    /** What to launch so that the program runs enclosed. */
    LaunchSpec enclose(ServerProgram program, ProgramEgress reach);

    /** Whether programs reach no more than they are enclosed with. */
    default boolean holdsReach() {
        return false;
    }

    /** Whether programs' own networks work: false after a fault that only a new worker mends. */
    default boolean carriesNetworks() {
        return true;
    }

    /** Connections and names that programs were refused until now. */
    default long refused() {
        return 0;
    }

    /** Connections that programs have out of networks of their own. */
    default int connections() {
        return 0;
    }

    /** Such connections that were broken off until now, since nothing was said on them. */
    default long idleConnections() {
        return 0;
    }

    /**
     * The {@code PATH} in which an enclosed program finds others; empty when it has none. What is
     * found in it here is what the program finds inside.
     */
    String searchPath(ServerProgram program);

    /** Where a program's home is. It is made when it is not there. */
    HomePlace home(ServerProgram program);

    /**
     * Takes an installation's homes from it for good: a later installation of the same name begins
     * with empty ones. They are moved to {@link #gone} and take up space until they are deleted
     * there. The installation's programs have ended.
     *
     * @return whether there were any
     */
    boolean discard(Home.OfInstallation home);

    /** Where discarded homes are; anything in it may be deleted. Programs do not see it. */
    Path gone();

    /** Where packages are kept. Programs do not see it, only what is mounted from it. */
    Path packages();

    /**
     * A way for a program to get a part of the host.
     *
     * @param inside where it finds it in a jail; without one it finds it where it is
     */
    Mount mount(Path host, Path inside, boolean writable);

    /** Gives back what is kept on the host; nothing enclosed lives any more. */
    @Override
    default void close() {}
}
