package dev.perigee.worker.instance;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Policy on a crash: the {@code maxCrashes}th within the window is permanent, an earlier one leads
 * to a restart, at once when the process had run long, else after a delay that grows with each
 * crash. Death by signal and a failed restart count as crashes. Pure.
 *
 * @param maxCrashes the crash that is terminal, counted within the window
 * @param window how far back crashes count
 * @param longUptime a process that ran longer than this restarts at once
 * @param delays before the first, second, … restart; the last one serves for all further ones
 */
public record RestartPolicy(
        int maxCrashes, Duration window, Duration longUptime, List<Duration> delays) {

    private static final Duration SHORTEST_DOUBLED = Duration.ofSeconds(1);
    private static final int MOST_DOUBLINGS = 20;

    /** Three crashes in five minutes are permanent; 1, 5 and 15 seconds below a minute's uptime. */
    public static RestartPolicy defaults() {
        return new RestartPolicy(
                3,
                Duration.ofMinutes(5),
                Duration.ofMinutes(1),
                List.of(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(15)));
    }

    public RestartPolicy {
        delays = List.copyOf(delays);
        if (maxCrashes < 1 || delays.isEmpty()) {
            throw new IllegalArgumentException(
                    "restart.max-crashes must be at least 1 and restart.delays not empty");
        }
    }

    /**
     * Decision on a crash.
     *
     * @param crashCount crashes within the window, this one included
     * @param willRestart false when this crash was one too many
     * @param delay before the restart; zero when there is none
     */
    record Decision(int crashCount, boolean willRestart, Duration delay) {}

    /**
     * How long a server waits that was ended for want of memory which others seem to have taken.
     * While that counts as no crash of its own it is not final; but where it goes on, each wait is
     * longer, up to the window.
     *
     * @param times it came to that in a row, 1 for the first
     */
    Duration afterShortage(int times) {
        if (times <= delays.size()) {
            return delays.get(times - 1);
        }
        var last = delays.getLast();
        var longest = last.compareTo(window) > 0 ? last : window;
        var base = last.compareTo(SHORTEST_DOUBLED) > 0 ? last : SHORTEST_DOUBLED;
        var delay = base.multipliedBy(1L << Math.min(times - delays.size(), MOST_DOUBLINGS));
        return delay.compareTo(longest) < 0 ? delay : longest;
    }

    /** The crashes of the window, given all that are known. */
    List<Instant> recent(List<Instant> crashes, Instant now) {
        var from = now.minus(window);
        return crashes.stream().filter(crash -> crash.isAfter(from)).toList();
    }

    /** Decides on a crash, the last of those within the window. */
    Decision decide(int crashCount, Duration uptime) {
        if (crashCount >= maxCrashes) {
            return new Decision(crashCount, false, Duration.ZERO);
        }
        if (uptime.compareTo(longUptime) > 0) {
            return new Decision(crashCount, true, Duration.ZERO);
        }
        int step = Math.clamp(crashCount - 1, 0, delays.size() - 1);
        return new Decision(crashCount, true, delays.get(step));
    }
}
