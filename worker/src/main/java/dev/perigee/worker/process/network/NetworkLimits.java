package dev.perigee.worker.process.network;

/**
 * How many connections are carried at a time; what is beyond waits in the kernel until others end.
 *
 * @param perInstance of one instance
 * @param total of all of a worker; when three quarters of them are taken, an instance gets no more
 *     than {@link #SCARCE}
 */
public record NetworkLimits(int perInstance, int total) {
    private static final int SCARCE = 16;

    /** Whether an instance that has so many may have one more, while all together have so many. */
    boolean admits(int own, int all) {
        int most = all < total - total / 4 ? perInstance : Math.min(perInstance, SCARCE);
        return own < most && all < total;
    }
}
