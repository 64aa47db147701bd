package dev.perigee.protocol.settings;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Finds what a user probably meant, by edit distance. */
final class NearestKey {
    private NearestKey() {}

    /** Returns null when nothing was there to choose from. */
    static @Nullable String to(String written, Collection<String> known) {
        String nearest = null;
        var best = Integer.MAX_VALUE;
        for (var key : known) {
            var distance = distance(written, key);
            if (distance < best
                    || (distance == best && nearest != null && key.compareTo(nearest) < 0)) {
                best = distance;
                nearest = key;
            }
        }
        return nearest;
    }

    static String unknown(@Nullable String nearest) {
        return nearest == null ? "no such setting" : "no such setting, the nearest is " + nearest;
    }

    private static int distance(String left, String right) {
        var previous = new int[right.length() + 1];
        for (var column = 0; column <= right.length(); column++) {
            previous[column] = column;
        }
        for (var row = 1; row <= left.length(); row++) {
            var current = new int[right.length() + 1];
            current[0] = row;
            for (var column = 1; column <= right.length(); column++) {
                var change = left.charAt(row - 1) == right.charAt(column - 1) ? 0 : 1;
                current[column] =
                        Math.min(
                                previous[column - 1] + change,
                                Math.min(previous[column], current[column - 1]) + 1);
            }
            previous = current;
        }
        return previous[right.length()];
    }
}
