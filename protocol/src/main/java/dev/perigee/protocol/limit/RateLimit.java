package dev.perigee.protocol.limit;

/**
 * Rate limit of a token bucket.
 *
 * @param perSecond on average; 0 for unlimited
 * @param burst how often at once, after a pause
 */
public record RateLimit(double perSecond, int burst) {
    /** As often as one likes. */
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
