package dev.perigee.worker.process;

/**
 * Starts child processes and carries their three standard streams. Obtained from {@link
 * ProcessLaunchers}. Safe for use by any thread.
 */
public interface ProcessLauncher extends AutoCloseable {

    /**
     * Starts a program. Blocks for the few milliseconds of the spawn. The listener's calls may
     * begin before this method returns.
     *
     * @throws LaunchException when no process was started; the listener is then never called
     */
    ChildProcess launch(LaunchSpec spec, ChildListener listener) throws LaunchException;

    /**
     * False when nothing will be started any more: the worker was frozen for too long, or stops.
     * What had been started was killed, or is about to be, and no fault of its own.
     */
    default boolean mayLaunch() {
        return true;
    }

    /**
     * Stops reading and watching. Children that still run are neither signalled nor reported any
     * more: end them first with {@link Termination}.
     */
    @Override
    void close();
}
