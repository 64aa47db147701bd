package dev.perigee.protocol.event;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What every event says of the instance it is about.
 *
 * @param pid the process, null where there is none
 * @param seq the entry's number in its instance's journal: gap-free within a session
 */
public record EventOrigin(
        String processId,
        @Nullable Long pid,
        String installationId,
        @Nullable String installationName,
        String serverSlug,
        String teamId,
        String userId,
        String workerId,
        long seq,
        Instant timestamp) {}
