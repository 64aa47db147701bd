package dev.perigee.worker.log;

import java.time.Duration;

/**
 * Limits of log batches.
 *
 * @param batchInterval from the first entry of a batch to its event
 * @param batchEntries entries that make a batch full
 * @param linesPerSecond average rate above which lines are dropped
 * @param maxLineBytes longest line that is kept whole
 * @param tailLines how many of the latest lines are kept to explain a failure
 * @param maxPayloadBytes largest parameters or response that a request log carries
 * @param requestValues whether a request log has values rather than shapes, where its installation
 *     does not say
 */
public record LogOptions(
        Duration batchInterval,
        int batchEntries,
        int linesPerSecond,
        int maxLineBytes,
        int tailLines,
        int maxPayloadBytes,
        boolean requestValues) {

    /** The defaults of the {@code logs.*} settings. */
    public static LogOptions defaults() {
        return new LogOptions(Duration.ofSeconds(3), 20, 20, 1024, 64, 16 * 1024, false);
    }
}
