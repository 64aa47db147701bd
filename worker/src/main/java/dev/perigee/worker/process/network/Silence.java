package dev.perigee.worker.process.network;

/** For how long nothing was carried, as far as is seen at each look. Used by one thread. */
final class Silence {
    private long carried;
    private long sinceNanos;

    /** Nothing was carried yet. */
    Silence(long nowNanos) {
        this.sinceNanos = nowNanos;
    }

    /**
     * A look.
     *
     * @param inAll bytes that were carried until now
     * @return nanoseconds since the first look that saw no more than this
     */
    long nanos(long inAll, long nowNanos) {
        if (inAll != carried) {
            carried = inAll;
            sinceNanos = nowNanos;
        }
        return nowNanos - sinceNanos;
    }
}
