package dev.perigee.protocol.limit;

/**
 * Rate limit of a token bucket.
 *
 * @param perSecond tokens a second, on average; 0 for unlimited, never negative
 * @param burst tokens at once after a pause, at least 1
 */
public record RateLimit(double perSecond, int burst) {
    /** No limit. */
    public static final RateLimit NONE = new RateLimit(0, 1);

    public RateLimit {
        if (!(perSecond >= 0) || burst < 1) {
            throw new IllegalArgumentException("a rate is not negative, a burst is at least 1");
        }
    }

    /** False when nothing is limited. */
    public boolean isSet() {
        return perSecond > 0;
    }
}
