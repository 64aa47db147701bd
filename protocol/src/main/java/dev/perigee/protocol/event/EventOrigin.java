package dev.perigee.protocol.event;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Fields of every event: the instance it is about, and its position in that instance's journal.
 *
 * @param processId the instance, see {@link dev.perigee.protocol.config.ProcessIds}
 * @param pid the process, null where there is none
 * @param installationId the configuration's
 * @param installationName the configuration's, null where it has none
 * @param serverSlug the configuration's
 * @param teamId the configuration's
 * @param userId the configuration's
 * @param workerId the worker that runs the instance
 * @param seq the entry's number in its instance's journal: gap-free within a session
 * @param timestamp when it happened, by the worker's clock
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
