package dev.perigee.gateway.link;

/**
 * Flow-control window of one session, in bytes of events: what the worker may still send and what
 * the owner holds make it up, and it is wider the fewer sessions there are. Credit returned between
 * an attach request and its answer is kept for after it. Credit is returned in portions of the
 * window, not event by event: the worker has the rest of the window meanwhile, so it never waits
 * for what is kept back here. Thread-safe.
 *
 * <p>What the worker may still send is below zero when its last event was larger. A window that
 * became narrower takes nothing back: it tells nothing until so much was sent.
 */
final class CreditWindow {
    private static final int PORTIONS = 4;

    private final EventMemory memory;
    private final long mostBytes;
    private long heldBytes;
    private long atWorkerBytes;
    private boolean begun;
    private boolean closed;

    /**
     * @param mostBytes of the window, however few sessions there are
     */
    CreditWindow(EventMemory memory, long mostBytes) {
        this.memory = memory;
        this.mostBytes = mostBytes;
        this.atWorkerBytes = mostBytes;
    }

    /** The credit to ask an attach with: the window less what the owner still holds. */
    synchronized long grant() {
        if (!begun && !closed) {
            begun = true;
            memory.sessionBegan();
        }
        atWorkerBytes = Math.max(0, window() - heldBytes);
        return atWorkerBytes;
    }

    /** An event went to the owner. */
    synchronized void taken(long bytes) {
        atWorkerBytes -= bytes;
        if (!closed) {
            heldBytes += bytes;
            memory.budget().take(bytes);
        }
    }

    /** The owner let go of events. */
    synchronized void returned(long bytes) {
        if (!closed) {
            heldBytes -= bytes;
            memory.budget().give(bytes);
        }
    }

    /** A repeat took credit and was dropped. */
    synchronized void wasted(long bytes) {
        atWorkerBytes -= bytes;
    }

    /** What to tell an attached worker now; zero while it is less than a portion. */
    synchronized long takeReturned() {
        long window = window();
        long free = window - heldBytes - atWorkerBytes;
        if (free < window / PORTIONS) {
            return 0;
        }
        atWorkerBytes += free;
        return free;
    }

    /** The session is over: its part is the others'. */
    synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        memory.budget().give(heldBytes);
        heldBytes = 0;
        if (begun) {
            memory.sessionEnded();
        }
    }

    private long window() {
        return memory.part(mostBytes);
    }
}
