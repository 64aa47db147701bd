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

    /** What is sent while the link is down reaches the worker when it is back, or never. */
    private final Map<String, Start> later = new HashMap<>();

    private @Nullable Instant suspendedAt;

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
        (isSuspended() ? later : starts).put(processId, new Start(now, ordered));
    }

    /** A call goes to it. */
    void woken(String processId, Instant now) {
        if (!starts.containsKey(processId)) {
            (isSuspended() ? later : starts).putIfAbsent(processId, new Start(now, false));
        }
    }

    /** It says that it runs. */
    void runs(String processId, Instant now) {
        starts.putIfAbsent(processId, new Start(now, false));
    }

    /** It does not run, or is not to be run. */
    void asleep(String processId) {
        starts.remove(processId);
    }

    /** The link is down: whether the worker lives is not known from then on. */
    void suspended(Instant now) {
        if (suspendedAt == null) {
            suspendedAt = now;
        }
    }

    /** The link is back, and what was to be sent is sent. */
    void resumed(Instant now) {
        suspendedAt = null;
        later.forEach((processId, start) -> starts.put(processId, new Start(now, start.ordered())));
        later.clear();
    }

    boolean isSuspended() {
        return suspendedAt != null;
    }

    /** How each has run until now, or until the worker was heard of last. */
    Map<String, Ran> ran(Instant now) {
        var until = suspendedAt == null ? now : suspendedAt;
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
