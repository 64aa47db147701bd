package dev.perigee.console;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An instance in the list. All text comes from others.
 *
 * @param partition -1 where it is not known
 * @param serverVersion null where it is not known
 * @param crashes how many were seen since the console reads
 * @param state what its process is doing, by the newest heartbeat; the fields after it too
 */
record InstanceView(
        String processId,
        @Nullable String installationName,
        String installationId,
        String serverSlug,
        @Nullable String serverVersion,
        String teamId,
        String userId,
        String workerId,
        int partition,
        String status,
        @Nullable String statusMessage,
        Instant statusSince,
        @Nullable Long pid,
        boolean dormant,
        int crashes,
        @Nullable Instant lastCrashAt,
        @Nullable String state,
        @Nullable Instant startedAt,
        @Nullable Integer activeRequests,
        @Nullable Long messageCount,
        @Nullable Long errorCount,
        @Nullable Instant lastActivityAt,
        @Nullable Integer toolCount) {}
