package dev.perigee.testing;

import java.time.Duration;
import org.awaitility.Awaitility;

/** Time that a fault lasts, of which a test waits for nothing but its end. */
public final class FaultTime {
    private static final Duration MARGIN = Duration.ofSeconds(30);

    private FaultTime() {}

    /** Returns after that time. */
    public static void pass(Duration time) {
        Awaitility.await().pollDelay(time).atMost(time.plus(MARGIN)).until(() -> true);
    }
}
