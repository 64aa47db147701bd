package dev.perigee.gateway.partition;

import dev.perigee.gateway.quarantine.Ran;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The instances of one session that are taken to run: those that were given to the worker and did
 * not say that they sleep, stopped or failed for good, and those that a call went to. What a worker
 * did not come to say before it died is so counted against it. Pure, for one thread.
 */
final class Awake {
    private static final Duration LONG = Duration.ofDays(365);

    private final Map<String, Start> starts = new HashMap<>();

    /**
     * The latest start of an instance.
     *
     * @param at null when it ran before this owner came
     */
    private record Start(@Nullable Instant at, boolean ordered) {}

    /** It ran already when the session was attached. */
    void found(String processId) {
        starts.putIfAbsent(processId, new Start(null, false));
    }

    /**
     * The worker is given it, to run it.
     *
     * @param ordered whether by a command
     */
    void given(String processId, boolean ordered, Instant now) {
        starts.put(processId, new Start(now, ordered));
    }

    /** A call went to it, or it says that it runs. */
    void woken(String processId, Instant now) {
        if (!starts.containsKey(processId)) {
            starts.put(processId, new Start(now, false));
        }
    }

    /** It does not run, or is not to be run. */
    void asleep(String processId) {
        starts.remove(processId);
    }

    /** How each has run until then. */
    Map<String, Ran> ran(Instant until) {
        var ran = new HashMap<String, Ran>();
        starts.forEach((processId, start) -> ran.put(processId, ran(start, until)));
        return ran;
    }

    private static Ran ran(Start start, Instant until) {
        var since = start.at();
        if (since == null) {
            return new Ran(LONG, false);
        }
        var time = Duration.between(since, until);
        return new Ran(time.isNegative() ? Duration.ZERO : time, start.ordered());
    }
}
