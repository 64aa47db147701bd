package dev.perigee.gateway.link;

/**
 * How many bytes of events the worker may have on the way to one session. Credit returned between
 * an attach request and its answer is kept for after it. What was returned is told in portions of a
 * part of the window, not event by event: the worker has the rest of the window meanwhile, so it
 * never waits for what is kept back here. Thread-safe.
 */
final class CreditWindow {
    private static final int PORTIONS = 4;

    private final long windowBytes;
    private long heldBytes;
    private long returnedBytes;

    CreditWindow(long windowBytes) {
        this.windowBytes = windowBytes;
    }

    /** The credit to ask an attach with: the window less what the owner still holds. */
    synchronized long grant() {
        returnedBytes = 0;
        return Math.max(0, windowBytes - heldBytes);
    }

    /** An event went to the owner. */
    synchronized void taken(long bytes) {
        heldBytes += bytes;
    }

    /** The owner let go of events. */
    synchronized void returned(long bytes) {
        heldBytes -= bytes;
        returnedBytes += bytes;
    }

    /** A repeat took credit and was dropped. */
    synchronized void wasted(long bytes) {
        returnedBytes += bytes;
    }

    /** What to tell an attached worker now; zero while it is less than a portion. */
    synchronized long takeReturned() {
        if (returnedBytes < windowBytes / PORTIONS) {
            return 0;
        }
        var bytes = returnedBytes;
        returnedBytes = 0;
        return bytes;
    }
}
