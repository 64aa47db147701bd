package dev.perigee.local.behaviour;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Differences by kind, by what they are about, and by the places that differ. Counts all; keeps
 * {@link #MOST_EXAMPLES} of each group, and at most {@link #MOST_GROUPS} groups. For one thread.
 */
final class Groups {
    private static final int MOST_EXAMPLES = 5;
    private static final int MOST_GROUPS = 2_000;
    private static final int SHOWN_PATHS = 5;
    private static final String OTHERS = "(others)";

    private record Key(Kind kind, String what, String signature) {}

    private static final class Group {
        private long count;
        private final List<Example> examples = new ArrayList<>();
    }

    private final Map<Key, Group> groups = new HashMap<>();
    private final Map<Kind, Long> totals = new EnumMap<>(Kind.class);

    void add(Kind kind, String what, String signature, Example example) {
        totals.merge(kind, 1L, Long::sum);
        var key = new Key(kind, what, signature);
        if (groups.size() >= MOST_GROUPS && !groups.containsKey(key)) {
            key = new Key(kind, OTHERS, "");
        }
        var group = groups.computeIfAbsent(key, _ -> new Group());
        group.count++;
        if (group.examples.size() < MOST_EXAMPLES) {
            group.examples.add(example);
        }
    }

    /** The places that differ, elements of arrays without their numbers. */
    static String signature(List<Change> changes) {
        var places =
                changes.stream()
                        .map(change -> change.toString().replaceAll("\\[\\d+]", "[*]"))
                        .distinct()
                        .sorted()
                        .toList();
        return places.stream().limit(SHOWN_PATHS).collect(Collectors.joining(", "))
                + (places.size() > SHOWN_PATHS
                        ? " and " + (places.size() - SHOWN_PATHS) + " more"
                        : "");
    }

    Map<Kind, Long> totals() {
        return new EnumMap<>(totals);
    }

    /** The worst kind first, of one kind the largest first. */
    List<Behaviour.Row> rows() {
        return groups.entrySet().stream()
                .map(
                        each ->
                                new Behaviour.Row(
                                        each.getKey().kind(),
                                        each.getKey().what(),
                                        each.getKey().signature(),
                                        each.getValue().count,
                                        each.getValue().examples))
                .sorted(
                        Comparator.comparing(Behaviour.Row::kind)
                                .thenComparing(
                                        Comparator.comparingLong(Behaviour.Row::count).reversed())
                                .thenComparing(Behaviour.Row::what)
                                .thenComparing(Behaviour.Row::signature))
                .toList();
    }
}
