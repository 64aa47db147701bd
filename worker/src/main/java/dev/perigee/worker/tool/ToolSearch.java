package dev.perigee.worker.tool;

import dev.perigee.worker.tool.ToolListing.ListedTool;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Finds tools by words: every word counts for itself, more in the path than in the description, and
 * most as the tool's whole name. Tools with no word in them are left out.
 */
public final class ToolSearch {
    private static final int WHOLE_NAME = 8;
    private static final int IN_PATH = 4;
    private static final int IN_DESCRIPTION = 1;

    private ToolSearch() {}

    private record Hit(ListedTool tool, int score) {}

    /** The best matches, best first; of equal ones those with the shorter path. */
    public static List<ListedTool> find(List<ListedTool> tools, String query, int limit) {
        var words =
                Arrays.stream(query.toLowerCase(Locale.ROOT).split("[\\s_:/|-]+"))
                        .filter(word -> !word.isEmpty())
                        .toList();
        return tools.stream()
                .map(tool -> new Hit(tool, score(tool, words)))
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

    private static int score(ListedTool tool, List<String> words) {
        var name = tool.toolName().toLowerCase(Locale.ROOT);
        var path = tool.toolPath().toLowerCase(Locale.ROOT);
        var description =
                tool.description() == null ? "" : tool.description().toLowerCase(Locale.ROOT);
        int score = 0;
        for (var word : words) {
            if (name.equals(word)) {
                score += WHOLE_NAME;
            } else if (path.contains(word)) {
                score += IN_PATH;
            } else if (description.contains(word)) {
                score += IN_DESCRIPTION;
            }
        }
        return score;
    }
}
