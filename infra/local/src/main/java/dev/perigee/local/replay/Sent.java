package dev.perigee.local.replay;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A copy as it was found in the target.
 *
 * @param origin where the original is
 * @param at when the original was appended
 * @param processId what it is about, where the record says so
 */
record Sent(
        String what,
        String key,
        String id,
        String originalId,
        String origin,
        Instant at,
        @Nullable String processId) {}
