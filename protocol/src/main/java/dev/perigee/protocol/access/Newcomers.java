package dev.perigee.protocol.access;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Those who have not shown who they are, of whom only so many are kept. When there is one too many,
 * one of the origin that has most of them goes, by chance: so who opens many connections displaces
 * its own, and who opens one stays, nearly always even among many of its own address. Any thread
 * may call.
 *
 * @param <C> what is kept; compared by its own {@code equals}
 */
final class Newcomers<C> {
    private final int most;
    private final RandomGenerator random;
    private final Map<C, Stay> stays = new LinkedHashMap<>();

    /**
     * State of one connection.
     *
     * @param served whether it is being served, so that its time does not run
     * @param nanos since when it is not, by a clock that never goes back
     */
    private record Stay(Object origin, boolean served, long nanos) {}

    Newcomers(int most, RandomGenerator random) {
        this.most = most;
        this.random = random;
    }

    /** Adds one. Returns who has to go, who may be the same, or null where there is room. */
    synchronized @Nullable C add(C newcomer, Object origin, long nanos) {
        stays.put(newcomer, new Stay(origin, false, nanos));
        if (stays.size() <= most) {
            return null;
        }
        var crowd = largestCrowd();
        var displaced = crowd.get(random.nextInt(crowd.size()));
        stays.remove(displaced);
        return displaced;
    }

    private List<C> largestCrowd() {
        var crowds = new HashMap<Object, List<C>>();
        stays.forEach(
                (newcomer, stay) ->
                        crowds.computeIfAbsent(stay.origin(), _ -> new ArrayList<>())
                                .add(newcomer));
        return Collections.max(
                crowds.values(), (one, other) -> Integer.compare(one.size(), other.size()));
    }

    /** One has shown who it is, or is gone. */
    synchronized void remove(C newcomer) {
        stays.remove(newcomer);
    }

    /** One is being served, or not any more from this moment on; nothing for who is gone. */
    synchronized void served(C newcomer, boolean served, long nanos) {
        stays.computeIfPresent(newcomer, (_, stay) -> new Stay(stay.origin(), served, nanos));
    }

    /** Those who have not been served since before a moment. */
    synchronized List<C> idleSinceBefore(long nanos) {
        var idle = new ArrayList<C>();
        stays.forEach(
                (newcomer, stay) -> {
                    if (!stay.served() && stay.nanos() - nanos < 0) {
                        idle.add(newcomer);
                    }
                });
        return idle;
    }

    synchronized int count() {
        return stays.size();
    }
}
