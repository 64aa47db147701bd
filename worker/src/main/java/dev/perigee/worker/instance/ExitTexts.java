package dev.perigee.worker.instance;

import dev.perigee.worker.process.ExitStatus;
import java.time.Duration;

/** Descriptions, for people, of how a process ended and how long something took. */
final class ExitTexts {
    private ExitTexts() {}

    static String of(ExitStatus exit) {
        if (exit.limit() != null) {
            return "ended by a limit: " + exit.limit().message();
        }
        if (exit.starved()) {
            return "ended by the system, since the machine ran out of memory; this server was"
                    + " not seen beyond its limit";
        }
        return exit.code() != null
                ? "process exited with code " + exit.code()
                : "process was ended by " + exit.signal();
    }

    /** As events have it. */
    static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    /** Such as 5 minutes, 90 seconds or 250 ms. */
    static String of(Duration duration) {
        if (duration.toMillis() % 1000 != 0) {
            return duration.toMillis() + " ms";
        }
        long seconds = duration.toSeconds();
        if (seconds >= 60 && seconds % 60 == 0) {
            return seconds == 60 ? "1 minute" : seconds / 60 + " minutes";
        }
        return seconds == 1 ? "1 second" : seconds + " seconds";
    }
}
