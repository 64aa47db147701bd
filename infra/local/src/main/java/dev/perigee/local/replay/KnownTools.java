package dev.perigee.local.replay;

import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import java.util.HashMap;
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
    private record Server(String installationId, String owner, String slug, Set<String> readOnly) {}

    private final Map<String, Server> byProcess = new HashMap<>();

    /** The newest that is known of a process; null when it was uninstalled. */
    void learn(String processId, @Nullable Event event) {
        if (event != null && event.body() instanceof ToolsDiscovered discovered) {
            var origin = event.origin();
            byProcess.put(
                    processId,
                    new Server(
                            origin.installationId(),
                            origin.teamId() + "/" + origin.userId(),
                            origin.serverSlug(),
                            discovered.tools().stream()
                                    .filter(tool -> Boolean.TRUE.equals(tool.readOnlyHint()))
                                    .map(DiscoveredTool::toolName)
                                    .collect(Collectors.toUnmodifiableSet())));
        } else {
            byProcess.remove(processId);
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
        return byProcess.values().stream()
                .filter(server -> server.owner().equals(owner))
                .filter(server -> server.slug().equals(path.serverSlug()))
                .filter(
                        server ->
                                installation == null
                                        || Objects.equals(server.installationId(), installation))
                .toList();
    }
}
