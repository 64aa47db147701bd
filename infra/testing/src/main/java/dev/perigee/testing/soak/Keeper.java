package dev.perigee.testing.soak;

import dev.perigee.testing.fleet.FleetUnderTest;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Starts parts again that have ended, as a supervisor does, but for those that are to be left. For
 * one thread.
 */
final class Keeper {
    private static final Duration BACKOFF = Duration.ofSeconds(2);

    private final FleetUnderTest fleet;
    private final List<String> parts;
    private final Set<String> left = new HashSet<>();
    private final Set<String> ordered = new HashSet<>();
    private final Map<String, Long> started = new HashMap<>();
    private final Map<String, Integer> endedAlone = new TreeMap<>();

    Keeper(FleetUnderTest fleet, List<String> parts) {
        this.fleet = fleet;
        this.parts = parts;
    }

    /** These are ended by order, and not started until they are to be kept. */
    void leave(Collection<String> names) {
        left.addAll(names);
        ordered.addAll(names);
    }

    /** These are started as soon as they have ended. */
    void keep(Collection<String> names) {
        left.removeAll(names);
    }

    /** How often parts ended that nobody had ended, by part and exit code. */
    Map<String, Integer> endedAlone() {
        return Map.copyOf(endedAlone);
    }

    /** Starts what has ended. */
    void look() {
        for (var name : parts) {
            var part = fleet.part(name);
            if (!part.alive() && !left.contains(name) && isDue(name)) {
                if (!ordered.remove(name)) {
                    endedAlone.merge(name + " with " + part.exitCode(), 1, Integer::sum);
                }
                started.put(name, System.nanoTime());
                fleet.startAgain(name);
            }
        }
    }

    private boolean isDue(String name) {
        var last = started.get(name);
        return last == null || System.nanoTime() - last > BACKOFF.toNanos();
    }
}
