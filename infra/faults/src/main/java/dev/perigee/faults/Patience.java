package dev.perigee.faults;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Defaults of a test's wait for an event. The deadline is long enough for a machine whose disk or
 * processors stand still for a while, since ten seconds were once too short for a broker that had
 * hundreds of logs to make. Looks are a few milliseconds apart at first, since most of what is
 * waited for is soon there, and a tenth of a second in the end. JUnit finds it by its service file,
 * once in each JVM.
 */
public final class Patience implements LauncherSessionListener {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration FIRST_LOOK = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(PATIENCE);
        Awaitility.setDefaultPollDelay(FIRST_LOOK);
        Awaitility.setDefaultPollInterval((_, pause) -> longer(pause));
    }

    private static Duration longer(Duration pause) {
        var twice = pause.isZero() ? FIRST_LOOK : pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }
}
