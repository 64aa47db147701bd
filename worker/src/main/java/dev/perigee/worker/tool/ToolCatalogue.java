package dev.perigee.worker.tool;

import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.event.EventBody.ToolsUpdated;
import dev.perigee.worker.mcp.ArgumentHeaders;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tools that a server listed, in its order. Immutable. */
public final class ToolCatalogue {
    private final Map<String, ServerTool> byName;

    /**
     * A tool and what its server claims of it.
     *
     * @param readOnly the server declares {@code readOnlyHint}
     * @param idempotent the server declares {@code idempotentHint}
     * @param headers that it has some of the arguments in, too
     * @param tasks whether a call of it may be a task
     */
    public record ServerTool(
            DiscoveredTool described,
            boolean readOnly,
            boolean idempotent,
            ArgumentHeaders headers,
            TaskSupport tasks) {

        /** A tool whose arguments are in no headers, and whose calls are no tasks. */
        public ServerTool(DiscoveredTool described, boolean readOnly, boolean idempotent) {
            this(described, readOnly, idempotent, ArgumentHeaders.NONE, TaskSupport.FORBIDDEN);
        }
    }

    private ToolCatalogue(Map<String, ServerTool> byName) {
        this.byName = byName;
    }

    /** These tools; of two with one name the first counts. */
    public static ToolCatalogue of(List<ServerTool> tools) {
        var byName = new LinkedHashMap<String, ServerTool>();
        for (var tool : tools) {
            byName.putIfAbsent(tool.described().toolName(), tool);
        }
        return new ToolCatalogue(Collections.unmodifiableMap(byName));
    }

    /** The tool of this name, or null. */
    public @Nullable ServerTool find(String name) {
        return byName.get(name);
    }

    /** All tools. */
    public List<DiscoveredTool> tools() {
        return byName.values().stream().map(ServerTool::described).toList();
    }

    /** All tools with what the server claims of them. */
    public List<ServerTool> listed() {
        return List.copyOf(byName.values());
    }

    /** The tools that are not switched off. */
    public List<DiscoveredTool> enabled(Set<String> disabled) {
        return tools().stream().filter(tool -> !disabled.contains(tool.toolName())).toList();
    }

    /** Approximate size of this catalogue's event, in bytes. */
    public long bytes() {
        return byName.values().stream()
                .map(ServerTool::described)
                .mapToLong(ToolCatalogue::bytes)
                .sum();
    }

    private static long bytes(DiscoveredTool tool) {
        var description = tool.description();
        return (long) tool.toolPath().length()
                + tool.toolName().length()
                + (description == null ? 0 : description.length())
                + tool.inputSchema().size();
    }

    /** The event with this catalogue. */
    public ToolsDiscovered discovered(Instant now) {
        var tools = tools();
        long tokens = tools.stream().mapToLong(DiscoveredTool::tokenCount).sum();
        return new ToolsDiscovered(tools.size(), tokens, tools, now);
    }

    /** What changed from an earlier catalogue to this one; null when the names are the same. */
    public @Nullable ToolsUpdated since(ToolCatalogue earlier) {
        var added = without(byName.keySet(), earlier.byName.keySet());
        var removed = without(earlier.byName.keySet(), byName.keySet());
        if (added.isEmpty() && removed.isEmpty()) {
            return null;
        }
        return new ToolsUpdated(added, removed, byName.size());
    }

    private static List<String> without(Set<String> names, Set<String> others) {
        return names.stream().filter(name -> !others.contains(name)).collect(Collectors.toList());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ToolCatalogue that
                && List.copyOf(byName.values()).equals(List.copyOf(that.byName.values()));
    }

    @Override
    public int hashCode() {
        return byName.hashCode();
    }
}
