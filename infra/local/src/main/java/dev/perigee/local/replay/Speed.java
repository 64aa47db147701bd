package dev.perigee.local.replay;

import org.jspecify.annotations.Nullable;

/**
 * Speed of a run.
 *
 * @param factor how many times as fast as the records came; null for as fast as the target takes
 *     them
 */
public record Speed(@Nullable Double factor) {
    /** As fast as the target takes them. */
    public static final Speed MAX = new Speed(null);

    public Speed {
        if (factor != null && !(factor > 0 && Double.isFinite(factor))) {
            throw new IllegalArgumentException("a speed is more than 0");
        }
    }
}
