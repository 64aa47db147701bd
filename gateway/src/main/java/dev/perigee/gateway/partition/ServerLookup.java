package dev.perigee.gateway.partition;

import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the instance that a request is for. Pure. */
final class ServerLookup {
    /** What was found. */
    sealed interface Found {}

    /** Exactly one instance. */
    record One(String processId) implements Found {}

    /** None that is wanted. */
    record None() implements Found {}

    /** Several, and the request does not say which. */
    record Several() implements Found {}

    private ServerLookup() {}

    static Found find(ToolRequest request, ToolPath path, PartitionState state) {
        List<DesiredInstance> candidates =
                state.instancesOf(request.teamId(), request.userId()).stream()
                        .filter(
                                instance ->
                                        instance.config().serverSlug().equals(path.serverSlug()))
                        .filter(instance -> isNamed(instance, request.installationId()))
                        .toList();
        return switch (candidates.size()) {
            case 0 -> new None();
            case 1 -> new One(candidates.getFirst().processId());
            default -> new Several();
        };
    }

    private static boolean isNamed(DesiredInstance instance, @Nullable String installationId) {
        return installationId == null || instance.config().installationId().equals(installationId);
    }
}
