package dev.perigee.testing.history;

/**
 * A time in which a part of the fleet was away: killed, frozen, cut off or hardly reached.
 *
 * @param part such as {@code gateway-1}; a broker's is every gateway's
 * @param fromMs its begin, in milliseconds of the epoch
 * @param toMs until when what that part gave or had may be lost or said otherwise
 */
public record Outage(String part, long fromMs, long toMs) {
    /**
     * An answer is committed a quarter of a second after it was given, three in a rebalance: later
     * on a busy machine.
     */
    private static final long COMMITTED_MS = 1_500;

    boolean isWorkers() {
        return part.startsWith("worker");
    }

    /** Whether it explains what befell something that was given at a moment. */
    boolean explains(long momentMs) {
        return fromMs - COMMITTED_MS <= momentMs && momentMs <= toMs + COMMITTED_MS;
    }
}
