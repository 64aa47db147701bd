package dev.perigee.worker.tool;

/**
 * Edit distance: the letters that must be added, left out, replaced or swapped with a neighbour.
 * Pure.
 */
final class EditDistance {
    private EditDistance() {}

    /** Whether one word becomes the other by at most {@code limit} changes. */
    static boolean isWithin(int limit, String one, String other) {
        return Math.abs(one.length() - other.length()) <= limit && between(one, other) <= limit;
    }

    private static int between(String one, String other) {
        var beforeLast = new int[other.length() + 1];
        var last = new int[other.length() + 1];
        var row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                boolean same = one.charAt(i - 1) == other.charAt(j - 1);
                row[j] = Math.min(Math.min(last[j], row[j - 1]) + 1, last[j - 1] + (same ? 0 : 1));
                boolean swapped =
                        i > 1
                                && j > 1
                                && one.charAt(i - 1) == other.charAt(j - 2)
                                && one.charAt(i - 2) == other.charAt(j - 1);
                if (swapped) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            var spare = beforeLast;
            beforeLast = last;
            last = row;
            row = spare;
        }
        return last[other.length()];
    }
}
