package dev.perigee.local.replay;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Plan of a run, fixed when it begins: a resumed run has the same end.
 *
 * @param run its id, in the ids and headers of every copy
 * @param source cluster id and topic prefix, as {@link ReplayHeaders#OF} begins
 * @param from the first offset, by topic and partition of the source
 * @param to the offset behind the last one, likewise
 * @param lastAt about when the last of these records was appended, null if there is none
 * @param rules fingerprint of the rules
 */
public record Plan(
        String run,
        String source,
        Instant startedAt,
        Selection selection,
        Map<String, Long> from,
        Map<String, Long> to,
        @Nullable Instant lastAt,
        String rules) {
    public Plan {
        from = Map.copyOf(from);
        to = Map.copyOf(to);
    }

    /** How many offsets the run looks at. */
    public long offsets() {
        return to.entrySet().stream()
                .mapToLong(end -> Math.max(0, end.getValue() - from.getOrDefault(end.getKey(), 0L)))
                .sum();
    }
}
