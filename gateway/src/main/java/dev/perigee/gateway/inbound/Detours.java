package dev.perigee.gateway.inbound;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Assignment while a gateway misses workers that another one hears. Partitions of such workers go
 * to a gateway that hears them; every other stays where it is, and so does the balance, until the
 * links are back. What somebody has is given to nobody before it was taken from there. Pure.
 */
final class Detours {
    private final Map<String, Member> members;
    private final Map<Integer, String> workers = new TreeMap<>();
    private final int generation;

    /**
     * A member as it joins.
     *
     * @param owned the partitions that it had in its last generation
     */
    record Member(Reach reach, Set<Integer> owned, int generation) {
        Member {
            owned = Set.copyOf(owned);
        }
    }

    /**
     * @param members by id
     */
    Detours(Map<String, Member> members) {
        this.members = new TreeMap<>(members);
        this.generation = members.values().stream().mapToInt(Member::generation).max().orElse(-1);
        for (var member : this.members.values()) {
            member.reach()
                    .misses()
                    .forEach(
                            (partition, worker) -> {
                                if (isHeard(worker)) {
                                    workers.put(partition, worker);
                                }
                            });
        }
    }

    private boolean isHeard(String worker) {
        return members.values().stream()
                .anyMatch(member -> member.reach().hears().contains(worker));
    }

    /** Whether there is any. A worker that nobody hears has none. */
    boolean isNeeded() {
        return !workers.isEmpty();
    }

    /** The partitions of each member. */
    Map<String, Set<Integer>> assign(Collection<Integer> partitions) {
        var assigned = new TreeMap<String, Set<Integer>>();
        members.keySet().forEach(member -> assigned.put(member, new TreeSet<>()));
        var free = new ArrayList<Integer>();
        for (var partition : partitions) {
            var owner = owner(partition);
            if (owner == null) {
                free.add(partition);
            } else if (mayKeep(owner, partition)) {
                mine(assigned, owner).add(partition);
            }
        }
        for (var partition : free) {
            var taker = taker(partition, assigned);
            if (taker != null) {
                mine(assigned, taker).add(partition);
            }
        }
        return assigned;
    }

    private static Set<Integer> mine(Map<String, Set<Integer>> assigned, String member) {
        return Objects.requireNonNull(assigned.get(member), "every member is there");
    }

    /** Null where nobody has it, or two say so. */
    private @Nullable String owner(int partition) {
        var owners =
                members.entrySet().stream()
                        .filter(entry -> entry.getValue().generation() == generation)
                        .filter(entry -> entry.getValue().owned().contains(partition))
                        .map(Map.Entry::getKey)
                        .toList();
        return owners.size() == 1 ? owners.getFirst() : null;
    }

    private boolean mayKeep(String owner, int partition) {
        var worker = workers.get(partition);
        return worker == null || reach(owner).hears().contains(worker);
    }

    private Reach reach(String member) {
        return Objects.requireNonNull(members.get(member), "every member is there").reach();
    }

    /** Who has the fewest, of those that hear its worker where that is missed. */
    private @Nullable String taker(int partition, Map<String, Set<Integer>> assigned) {
        var worker = workers.get(partition);
        List<String> able =
                members.keySet().stream()
                        .filter(member -> worker == null || reach(member).hears().contains(worker))
                        .toList();
        return able.stream()
                .min(Comparator.comparingInt(member -> mine(assigned, member).size()))
                .orElse(null);
    }
}
