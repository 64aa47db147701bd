package dev.perigee.local.replay;

import java.util.Map;

/**
 * Position of a run: written in the same transaction as the copies it counts, so that it is true
 * whenever somebody reads it.
 *
 * @param next the next offset to look at, by topic and partition of the source
 * @param isOver every record was dealt with and the comparison was made
 */
record Checkpoint(Map<String, Long> next, Tally.Counts counts, boolean isOver) {
    Checkpoint {
        next = Map.copyOf(next);
    }
}
