package dev.perigee.gateway.partition;

import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
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
        @Nullable String found = null;
        for (var instance : state.instancesOf(request.teamId(), request.userId())) {
            if (instance.config().serverSlug().equals(path.serverSlug())
                    && isNamed(instance, request.installationId())) {
                if (found != null) {
                    return new Several();
                }
                found = instance.processId();
            }
        }
        return found == null ? new None() : new One(found);
    }

    private static boolean isNamed(DesiredInstance instance, @Nullable String installationId) {
        return installationId == null || instance.config().installationId().equals(installationId);
    }
}
