package dev.perigee.worker.process.network;

import java.time.Duration;

/**
 * Limits of concurrent connections; further ones wait in the kernel until others end.
 *
 * @param perInstance of one instance
 * @param total of all of a worker, of which no owner has more than an eighth; when three quarters
 *     of them are taken, an instance gets no more than {@link #SCARCE}
 * @param idle how long one is carried that nothing is said on, so that nobody keeps a share by
 *     holding it; zero for ever
 */
public record NetworkLimits(int perInstance, int total, Duration idle) {
    private static final int SCARCE = 16;
    private static final int OWNERS = 8;

    /**
     * Whether an instance may have one more.
     *
     * @param own how many it has
     * @param ofOwner how many all instances of its owner have
     * @param all how many all instances have
     */
    boolean admits(int own, int ofOwner, int all) {
        int most = all < total - total / 4 ? perInstance : Math.min(perInstance, SCARCE);
        return own < most && ofOwner < Math.max(1, total / OWNERS) && all < total;
    }

    /** Whether a connection ends that has carried nothing for so long. */
    boolean endsAfter(long silentNanos) {
        return !idle.isZero() && Duration.ofNanos(silentNanos).compareTo(idle) > 0;
    }
}
