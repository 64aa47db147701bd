package dev.perigee.gateway.inbound;

import java.util.HashMap;
import java.util.Map;

/**
 * Since when this gateway has had each partition without anybody else in between: a rebalance that
 * gives a partition back to who had it makes a new tenure, but no new owner. Times are whatever the
 * caller's are. For one thread.
 */
final class Gains {
    private final Map<Integer, Gain> last = new HashMap<>();

    private record Gain(long at, int generation) {}

    /**
     * The group assigned a partition to this gateway.
     *
     * @param generation of the group, which grows by one with each rebalance
     * @return when it was gained: now, unless it was this gateway's in the generation before
     */
    long assigned(int partition, int generation, long now) {
        var before = last.get(partition);
        long at = before != null && before.generation() == generation - 1 ? before.at() : now;
        last.put(partition, new Gain(at, generation));
        return at;
    }

    /**
     * The group left a partition to this gateway through all generations since it was assigned.
     *
     * @return when it was gained
     */
    long kept(int partition, int generation, long now) {
        var before = last.get(partition);
        long at = before == null ? now : before.at();
        last.put(partition, new Gain(at, generation));
        return at;
    }
}
