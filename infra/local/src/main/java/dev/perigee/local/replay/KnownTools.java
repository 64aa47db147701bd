package dev.perigee.local.replay;

import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tools that the source's servers announced, as far as a request needs them: which installation
 * it is about, and whether its tool is declared read-only. What is not known is not read-only.
 */
final class KnownTools {
    private record Server(
            String processId,
            String installationId,
            String owner,
            String slug,
            Set<String> readOnly) {}

    private final Map<String, Server> byProcess = new HashMap<>();

    /** The same servers: a day has many requests, and a fleet many servers. */
    private final Map<String, Set<Server>> byOwner = new HashMap<>();

    /** The newest that is known of a process; null when it was uninstalled. */
    void learn(String processId, @Nullable Event event) {
        var earlier = byProcess.remove(processId);
        if (earlier != null) {
            byOwner.getOrDefault(earlier.owner(), new HashSet<>()).remove(earlier);
        }
        if (event != null && event.body() instanceof ToolsDiscovered discovered) {
            var origin = event.origin();
            var server =
                    new Server(
                            processId,
                            origin.installationId(),
                            origin.teamId() + "/" + origin.userId(),
                            origin.serverSlug(),
                            discovered.tools().stream()
                                    .filter(tool -> Boolean.TRUE.equals(tool.readOnlyHint()))
                                    .map(DiscoveredTool::toolName)
                                    .collect(Collectors.toUnmodifiableSet()));
            byProcess.put(processId, server);
            byOwner.computeIfAbsent(server.owner(), _ -> new HashSet<>()).add(server);
        }
    }

    /** Whether every server that the call may be for declares its tool read-only. */
    boolean isReadOnly(ToolRequest request, ToolPath path) {
        var servers = serversOf(request, path);
        return path.name() != null
                && !servers.isEmpty()
                && servers.stream().allMatch(server -> server.readOnly().contains(path.name()));
    }

    /** Whether a request is, or may be, for an installation. */
    boolean isFor(String installationId, ToolRequest request, @Nullable ToolPath path) {
        if (request.installationId() != null) {
            return request.installationId().equals(installationId);
        }
        return path == null
                || serversOf(request, path).stream()
                        .anyMatch(server -> server.installationId().equals(installationId));
    }

    private List<Server> serversOf(ToolRequest request, ToolPath path) {
        var owner = request.teamId() + "/" + request.userId();
        var installation = request.installationId();
        return byOwner.getOrDefault(owner, Set.of()).stream()
                .filter(server -> server.slug().equals(path.serverSlug()))
                .filter(
                        server ->
                                installation == null
                                        || Objects.equals(server.installationId(), installation))
                .toList();
    }
}
