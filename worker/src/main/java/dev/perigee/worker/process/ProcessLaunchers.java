package dev.perigee.worker.process;

/** Picks the way to start children that this system supports. */
public final class ProcessLaunchers {

    private ProcessLaunchers() {}

    /** The portable launcher; its threads start with the first child. */
    public static ProcessLauncher create(LauncherOptions options) {
        return new PortableProcessLauncher(options);
    }
}
