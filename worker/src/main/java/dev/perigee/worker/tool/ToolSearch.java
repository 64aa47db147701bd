package dev.perigee.worker.tool;

import dev.perigee.worker.tool.ToolListing.ListedTool;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Finds tools by words: every word counts for itself, more in the path than in the description, and
 * a tool's whole name counts most. A word with mistakes counts where it is nearly a word of the
 * path. Tools with no word in them are left out.
 */
public final class ToolSearch {
    private static final int WHOLE_NAME = 8;
    private static final int IN_PATH = 4;
    private static final int NEARLY_IN_PATH = 2;
    private static final int IN_DESCRIPTION = 1;

    /** Shorter words have too many neighbours. */
    private static final int SHORTEST_WITH_MISTAKES = 4;

    /** Words of a query that are used; the rest is ignored. */
    private static final int MOST_WORDS = 16;

    private static final int LONGEST_WORD = 64;

    private ToolSearch() {}

    private record Hit(ListedTool tool, int score) {}

    /** The best matches, best first; of equal ones those with the shorter path. */
    public static List<ListedTool> find(List<ListedTool> tools, String query, int limit) {
        var words = words(query).stream().limit(MOST_WORDS).toList();
        var whole = query.strip();
        return tools.stream()
                .map(tool -> new Hit(tool, score(tool, whole, words)))
                .filter(hit -> hit.score > 0)
                .sorted(
                        Comparator.comparingInt(Hit::score)
                                .reversed()
                                .thenComparingInt(hit -> hit.tool.toolPath().length())
                                .thenComparing(hit -> hit.tool.toolPath()))
                .limit(limit)
                .map(Hit::tool)
                .toList();
    }

    private static List<String> words(String text) {
        return Arrays.stream(text.split("[\\s_:/|.-]+|(?<=[a-z0-9])(?=[A-Z])"))
                .filter(word -> !word.isEmpty())
                .map(word -> word.toLowerCase(Locale.ROOT))
                .toList();
    }

    private static int score(ListedTool tool, String whole, List<String> words) {
        var path = tool.toolPath().toLowerCase(Locale.ROOT);
        var inPath = words(tool.toolPath());
        var description =
                tool.description() == null ? "" : tool.description().toLowerCase(Locale.ROOT);
        int score = tool.toolName().equalsIgnoreCase(whole) ? WHOLE_NAME : 0;
        for (var word : words) {
            if (path.contains(word)) {
                score += IN_PATH;
            } else if (inPath.stream().anyMatch(other -> isNearly(word, other))) {
                score += NEARLY_IN_PATH;
            } else if (description.contains(word)) {
                score += IN_DESCRIPTION;
            }
        }
        return score;
    }

    /** One mistake in a word of four letters or five, two in longer ones, three in long ones. */
    private static boolean isNearly(String word, String other) {
        int length = Math.min(word.length(), other.length());
        return length >= SHORTEST_WITH_MISTAKES
                && Math.max(word.length(), other.length()) <= LONGEST_WORD
                && EditDistance.isWithin(Math.min(1 + (length - 3) / 3, 3), word, other);
    }
}
