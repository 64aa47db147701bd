package dev.perigee.testing.soak;

import dev.perigee.testing.history.Outage;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Parts that a fault keeps away, as far as answers and events may suffer from it by the guarantees.
 * Pure.
 */
final class Outages {
    private static final Duration LATE = Duration.ofSeconds(1);

    private final long beginMs;
    private final long endMs;
    private final Times times;

    private Outages(long beginMs, long endMs, Times times) {
        this.beginMs = beginMs;
        this.endMs = endMs;
        this.times = times;
    }

    /** The outages of a fault that begins at a moment, in milliseconds of the epoch. */
    static List<Outage> of(Fault fault, long beginMs, Times times) {
        long endMs = beginMs + fault.lasts().toMillis();
        var outages = new Outages(beginMs, endMs, times);
        return switch (fault) {
            case Fault.Cut(var side, var rest, _, _, _) -> outages.between(side, rest, true);
            case Fault.Slow(var side, var rest, _, _, _) -> outages.between(side, rest, false);
            case Fault.Kill(var parts, _) ->
                    parts.stream()
                            .map(
                                    part ->
                                            part.startsWith("gateway")
                                                    ? new Outage(part, beginMs, beginMs)
                                                    : outages.of(part, true))
                            .toList();
            case Fault.Freeze(var parts, _) ->
                    parts.stream().map(part -> outages.of(part, true)).toList();
            case Fault.Stutter(var parts, _) ->
                    parts.stream().map(part -> outages.of(part, false)).toList();
            case Fault.Redeploy _, Fault.Drain _, Fault.CrashServer _ -> List.of();
        };
    }

    /** A gateway is away where the broker is, a worker where a gateway is. */
    private List<Outage> between(Collection<String> side, Collection<String> rest, boolean steady) {
        var away = new TreeSet<String>();
        for (var one : side) {
            for (var other : rest) {
                away.add(lost(one, other));
            }
        }
        away.remove("");
        return away.stream().map(part -> of(part, steady)).toList();
    }

    private static String lost(String one, String other) {
        boolean gateway = one.startsWith("gateway");
        if (gateway == other.startsWith("gateway")) {
            return "";
        }
        var there = gateway ? other : one;
        return there.startsWith("worker") ? there : gateway ? one : other;
    }

    /**
     * @param steady nothing at all comes through: who hears nothing falls silent
     */
    private Outage of(String part, boolean steady) {
        if (part.startsWith("worker")) {
            return new Outage(part, beginMs, endMs + times.takeover().toMillis());
        }
        long silent = beginMs + times.session().plus(LATE).toMillis();
        return new Outage(part, beginMs, steady ? Math.min(endMs, silent) : endMs);
    }
}
