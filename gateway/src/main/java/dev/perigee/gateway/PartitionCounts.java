package dev.perigee.gateway;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Partition counts of the co-partitioned topics. A fleet keeps the count with which it began: keys
 * are routed by it, and each partition's state lies where that count put it. Pure.
 *
 * @param found by topic, at least one
 */
record PartitionCounts(SortedMap<String, Integer> found) {

    PartitionCounts {
        found = Collections.unmodifiableSortedMap(new TreeMap<>(found));
    }

    /** The one count of all topics, null where they differ. */
    @Nullable Integer uniform() {
        int least = least();
        return found.values().stream().allMatch(count -> count == least) ? least : null;
    }

    /** Partitions of a lower number are there in every topic. */
    int least() {
        return Collections.min(found.values());
    }

    /** Such as {@code mcp.commands has 8, mcp.state has 4}. */
    String text() {
        return text(found);
    }

    /** What is wrong and what to do, for people; null where all topics have this count. */
    @Nullable String difference(int expected) {
        var changed = new TreeMap<>(found);
        changed.values().removeIf(count -> count == expected);
        if (changed.isEmpty()) {
            return null;
        }
        return ("The number of partitions was changed: %s, expected are %d, the count with which this fleet began. Users of other"
                        + " partitions are not served; their servers are removed by"
                        + " perigee delete --partitions %d. Stop all gateways and workers, delete the topics %s, create"
                        + " them by perigee topics --partitions N, start again and send every configuration once"
                        + " more")
                .formatted(text(changed), expected, expected, String.join(", ", found.keySet()));
    }

    private static String text(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + " has " + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}
