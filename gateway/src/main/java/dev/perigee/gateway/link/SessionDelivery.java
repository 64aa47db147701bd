package dev.perigee.gateway.link;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Delivery of a session's events to its listener: one call at a time, nothing from a connection
 * that is not the attached one, each event once, nothing after the end. Its lock is held during the
 * listener's calls, so only threads of the link take it, never a caller of {@link PartitionLink}.
 */
final class SessionDelivery {
    private final SessionListener listener;
    private final CreditWindow credit;
    private final LinkMeters meters;
    private final ReentrantLock lock = new ReentrantLock();
    private final Cursors cursors = new Cursors();
    private @Nullable LinkConnection from;
    private volatile boolean over;

    SessionDelivery(SessionListener listener, CreditWindow credit, LinkMeters meters) {
        this.listener = listener;
        this.credit = credit;
        this.meters = meters;
    }

    /** For the next attach. */
    List<Attach.Cursor> cursors() {
        lock.lock();
        try {
            return cursors.list();
        } finally {
            lock.unlock();
        }
    }

    /** The session is attached on this connection; its events follow. */
    void attached(LinkConnection via, Attach.Result result) {
        lock.lock();
        try {
            if (!over && !via.isClosed()) {
                from = via;
                cursors.retain(result);
                listener.attached(result);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes an event, which is a repeat where this gateway has it already.
     *
     * @return whether the listener has it now
     */
    boolean event(long generation, SessionNotice.InstanceEvent event, int bytes) {
        lock.lock();
        try {
            if (over || from == null || from.generation() != generation) {
                return false;
            }
            switch (cursors.arrive(event)) {
                case REPEAT -> {
                    meters.eventsRepeated.increment();
                    credit.wasted(bytes);
                    return false;
                }
                case AFTER_HOLE -> meters.eventsMissing.increment();
                case NEXT -> {}
            }
            credit.taken(bytes);
            listener.event(event, bytes);
            return true;
        } finally {
            lock.unlock();
        }
    }

    void suspended(LinkConnection closed) {
        lock.lock();
        try {
            if (!over && from == closed) {
                from = null;
                listener.suspended();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Delivers the end of the session, once; nothing follows. */
    void end(Consumer<SessionListener> lastWord) {
        lock.lock();
        try {
            if (!over) {
                over = true;
                lastWord.accept(listener);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Says nothing any more; does not wait for a call that is under way. */
    void mute() {
        over = true;
    }
}
