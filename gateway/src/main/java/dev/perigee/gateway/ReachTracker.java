package dev.perigee.gateway;

import dev.perigee.gateway.inbound.Reach;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * Decides which workers a gateway misses, and when another assignment may help: once when it begins
 * to miss the worker of a partition that it owns, and once when a worker is back for which others
 * got partitions. Neither repeats, so a worker that is dead for all costs each gateway one
 * assignment, in which nothing moves. What comes within a patience of the last is asked for at once
 * with all that came: a group in which one assignment follows another commits nothing. A link that
 * comes and goes counts as missed until it has held for a while. Pure; times are of one monotonic
 * clock, in nanoseconds.
 */
final class ReachTracker {
    private final long patience;
    private final long probation;
    private final long memory;
    private final Map<Integer, Host> hosts = new TreeMap<>();
    private final Map<String, Long> silentSince = new HashMap<>();
    private final Map<String, Long> heardSince = new HashMap<>();
    private final Set<String> missed = new HashSet<>();
    private final Set<String> givenUp = new HashSet<>();
    private final Set<Integer> askedFor = new HashSet<>();
    private boolean isBack;
    private OptionalLong askedAt = OptionalLong.empty();

    private record Host(String worker, long ownedAt) {}

    /**
     * @param patience a worker that was not heard for so long is missed; so long is between two
     *     questions
     * @param probation one that was missed has to be heard for so long
     * @param memory how long this gateway still publishes the host of a partition that it no longer
     *     owns: until the next owner can publish it
     */
    ReachTracker(Duration patience, Duration probation, Duration memory) {
        this.patience = patience.toNanos();
        this.probation = probation.toNanos();
        this.memory = memory.toNanos();
    }

    /**
     * Takes a look; they are to be much more frequent than the patience is long.
     *
     * @param owned by partition of this gateway the worker that may run its processes
     * @param heard workers that were heard lately
     * @param known workers that this gateway has a link to, whatever its state
     * @return whether to ask the group for another assignment
     */
    boolean look(Map<Integer, String> owned, Set<String> heard, Set<String> known, long now) {
        hosts.forEach(
                (partition, host) -> {
                    if (missed.contains(host.worker()) && !owned.containsKey(partition)) {
                        givenUp.add(host.worker());
                    }
                });
        owned.forEach((partition, worker) -> hosts.put(partition, new Host(worker, now)));
        hosts.values().removeIf(host -> now - host.ownedAt() > memory);
        var needed = new HashSet<>(missed);
        hosts.values().forEach(host -> needed.add(host.worker()));
        for (var worker : needed) {
            if (heard.contains(worker)) {
                isBack |= heard(worker, now);
            } else {
                silent(worker, now);
            }
        }
        forgetOthers(known);
        return asks(owned, now);
    }

    /** User data for the next join of the group; {@code heard} as of now. */
    Reach reach(Set<String> heard) {
        var told = new TreeMap<Integer, String>();
        hosts.forEach((partition, host) -> told.put(partition, host.worker()));
        return new Reach(heard, missed, told);
    }

    /** Whether partitions that others got for it may come back. */
    private boolean heard(String worker, long now) {
        silentSince.remove(worker);
        if (!missed.contains(worker)) {
            return false;
        }
        heardSince.putIfAbsent(worker, now);
        if (now - heardSince.getOrDefault(worker, now) < probation) {
            return false;
        }
        heardSince.remove(worker);
        missed.remove(worker);
        return givenUp.remove(worker);
    }

    private void silent(String worker, long now) {
        heardSince.remove(worker);
        silentSince.putIfAbsent(worker, now);
        if (now - silentSince.getOrDefault(worker, now) >= patience) {
            missed.add(worker);
        }
    }

    /** Workers that left the fleet, and those that no partition needs and nothing is missed of. */
    private void forgetOthers(Set<String> known) {
        var needed = new HashSet<String>();
        hosts.values().forEach(host -> needed.add(host.worker()));
        missed.removeIf(worker -> !needed.contains(worker) && !known.contains(worker));
        needed.addAll(missed);
        silentSince.keySet().retainAll(needed);
        heardSince.keySet().retainAll(missed);
        givenUp.retainAll(missed);
    }

    private boolean asks(Map<Integer, String> owned, long now) {
        askedFor.removeIf(
                partition -> {
                    var worker = owned.get(partition);
                    return worker == null || !missed.contains(worker);
                });
        var wanted = new HashSet<Integer>();
        owned.forEach(
                (partition, worker) -> {
                    if (missed.contains(worker)) {
                        wanted.add(partition);
                    }
                });
        boolean hasAskedLately = askedAt.isPresent() && now - askedAt.getAsLong() < patience;
        if (hasAskedLately || (!isBack && askedFor.containsAll(wanted))) {
            return false;
        }
        askedFor.addAll(wanted);
        isBack = false;
        askedAt = OptionalLong.of(now);
        return true;
    }
}
