package dev.perigee.worker.tool;

import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code tools/list} and {@code tools/search}: a user's tools over all servers that
 * are online.
 */
public record ToolListing(List<ListedTool> tools, int toolCount, long totalTokens) {

    /** One tool and where it is. */
    public record ListedTool(
            String toolPath,
            String toolName,
            @Nullable String description,
            RawJson inputSchema,
            long tokenCount,
            String installationId) {

        /** A tool of an installation. */
        public static ListedTool of(String installationId, DiscoveredTool tool) {
            return new ListedTool(
                    tool.toolPath(),
                    tool.toolName(),
                    tool.description(),
                    tool.inputSchema(),
                    tool.tokenCount(),
                    installationId);
        }
    }

    /** A listing of these tools. */
    public static ToolListing of(List<ListedTool> tools) {
        long tokens = tools.stream().mapToLong(ListedTool::tokenCount).sum();
        return new ToolListing(List.copyOf(tools), tools.size(), tokens);
    }
}
