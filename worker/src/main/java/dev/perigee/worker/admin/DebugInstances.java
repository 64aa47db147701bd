package dev.perigee.worker.admin;

import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.worker.instance.InstanceSnapshot;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The instances as JSON, all tools included, whatever their status. Holds no secret. */
final class DebugInstances {

    private record Shown(
            String processId,
            int partition,
            long startToken,
            String installationId,
            @Nullable String installationName,
            String serverSlug,
            String teamId,
            String userId,
            String transport,
            String configHash,
            String state,
            @Nullable ServerStatus status,
            @Nullable String statusMessage,
            @Nullable Instant lastUpdated,
            boolean dormant,
            boolean stopped,
            boolean permanentlyFailed,
            @Nullable Long pid,
            @Nullable Instant startedAt,
            String health,
            @Nullable Instant lastHealthCheckAt,
            int crashCount,
            long messageCount,
            long errorCount,
            int activeRequests,
            @Nullable Instant lastActivityAt,
            List<DiscoveredTool> tools,
            Set<String> disabledTools) {

        static Shown of(InstanceSnapshot instance) {
            var identity = instance.identity();
            return new Shown(
                    identity.processId(),
                    identity.partition(),
                    identity.startToken(),
                    identity.installationId(),
                    identity.installationName(),
                    identity.serverSlug(),
                    identity.teamId(),
                    identity.userId(),
                    instance.transport().name().toLowerCase(Locale.ROOT),
                    instance.configHash(),
                    instance.state().wireName(),
                    instance.status(),
                    instance.statusMessage(),
                    instance.statusSince(),
                    instance.dormant(),
                    instance.stopped(),
                    instance.permanentlyFailed(),
                    instance.pid(),
                    instance.startedAt(),
                    instance.health(),
                    instance.lastHealthCheckAt(),
                    instance.crashCount(),
                    instance.messageCount(),
                    instance.errorCount(),
                    instance.activeRequests(),
                    instance.lastActivityAt(),
                    instance.tools(),
                    new TreeSet<>(instance.disabledTools()));
        }
    }

    private record Page(
            int count,
            int dormantCount,
            Map<String, Integer> countsByState,
            List<Shown> instances) {}

    private final Supplier<List<InstanceSnapshot>> instances;

    DebugInstances(Supplier<List<InstanceSnapshot>> instances) {
        this.instances = instances;
    }

    /** The instances that are asked for; all counts are of these. */
    byte[] page(InstanceQuery query) {
        var found =
                instances.get().stream()
                        .filter(query::matches)
                        .sorted(Comparator.comparing(it -> it.identity().processId()))
                        .toList();
        var counts = InstanceCounts.of(found);
        return Json.write(
                new Page(
                        found.size(),
                        counts.dormant(),
                        counts.byState(),
                        found.stream().map(Shown::of).toList()));
    }
}
