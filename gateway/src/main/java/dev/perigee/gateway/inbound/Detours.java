package dev.perigee.gateway.inbound;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Corrects a balanced assignment where a member misses a worker that another one serves. Partitions
 * on that worker are bound: an owner that serves it keeps them, whatever the balance; from any
 * other they are revoked, and a member that serves it gets them when nobody owns them any more, as
 * cooperative rebalancing demands. A worker that no member serves binds nothing. Pure.
 */
final class Detours {
    private final Map<String, Member> members;

    /**
     * A member as it joins.
     *
     * @param owned the partitions that it had in {@code generation}
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
    }

    /**
     * The partitions of each member.
     *
     * @param balanced what they would be if every member reached every worker
     * @param assignable the partitions that may be assigned
     */
    Map<String, Set<Integer>> correct(Map<String, Set<Integer>> balanced, Set<Integer> assignable) {
        var assigned = new TreeMap<String, Set<Integer>>();
        balanced.forEach((member, partitions) -> assigned.put(member, new TreeSet<>(partitions)));
        for (int partition : assignable) {
            var able = able(partition);
            if (!able.isEmpty()) {
                assign(partition, able, assigned);
            }
        }
        return assigned;
    }

    private void assign(int partition, List<String> able, Map<String, Set<Integer>> assigned) {
        if (able.stream().anyMatch(member -> of(assigned, member).contains(partition))) {
            return;
        }
        assigned.values().forEach(partitions -> partitions.remove(partition));
        var owners = owners(partition);
        if (owners.isEmpty()) {
            able.stream()
                    .min(Comparator.comparingInt(member -> of(assigned, member).size()))
                    .ifPresent(member -> of(assigned, member).add(partition));
        } else if (owners.size() == 1 && able.containsAll(owners)) {
            of(assigned, owners.getFirst()).add(partition);
        }
    }

    /** The members that serve a partition's worker; empty where none does, or none misses it. */
    private List<String> able(int partition) {
        var worker = worker(partition);
        if (worker == null
                || members.values().stream()
                        .noneMatch(member -> member.reach().misses().contains(worker))) {
            return List.of();
        }
        return members.keySet().stream()
                .filter(member -> of(members, member).reach().serves(worker))
                .toList();
    }

    /** The owner knows best where its partition is. */
    private @Nullable String worker(int partition) {
        for (var owner : owners(partition)) {
            var worker = of(members, owner).reach().hosts().get(partition);
            if (worker != null) {
                return worker;
            }
        }
        return members.values().stream()
                .map(member -> member.reach().hosts().get(partition))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Of those that claim it, the ones of the latest generation. */
    private List<String> owners(int partition) {
        var claiming =
                members.entrySet().stream()
                        .filter(member -> member.getValue().owned().contains(partition))
                        .toList();
        int latest =
                claiming.stream()
                        .mapToInt(member -> member.getValue().generation())
                        .max()
                        .orElse(-1);
        return claiming.stream()
                .filter(member -> member.getValue().generation() == latest)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static <V> V of(Map<String, V> all, String member) {
        return Objects.requireNonNull(all.get(member), "every member is there");
    }
}
