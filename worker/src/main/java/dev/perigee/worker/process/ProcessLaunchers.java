package dev.perigee.worker.process;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Picks the way to start children that this system supports. */
public final class ProcessLaunchers {

    private static final Logger log = LoggerFactory.getLogger(ProcessLaunchers.class);

    private ProcessLaunchers() {}

    /** The native launcher where the system has what it needs, else the portable one. */
    public static ProcessLauncher create(LauncherOptions options) {
        var missing =
                System.getProperty("os.name", "").equals("Linux") ? Spawner.missing() : "Linux";
        if (missing == null) {
            return NativeProcessLauncher.start(options);
        }
        log.atWarn()
                .addKeyValue("missing", missing)
                .log(
                        "Children are started with the portable launcher: four threads each, no"
                                + " sessions of their own; without /proc those that leave their"
                                + " parents outlive a killed worker. Fit for development only");
        return new PortableProcessLauncher(options);
    }
}
