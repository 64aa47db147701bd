package dev.perigee.faults;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Default deadline of a test's wait for an event: long enough for a machine whose disk or
 * processors stand still for a while, since ten seconds were once too short for a broker that had
 * hundreds of logs to make. JUnit finds it by its service file, once in each JVM.
 */
public final class Patience implements LauncherSessionListener {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(PATIENCE);
    }
}
