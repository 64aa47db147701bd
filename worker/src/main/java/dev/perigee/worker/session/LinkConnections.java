package dev.perigee.worker.session;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Connections of gateways, the longest connected first. Safe for use by any thread. */
final class LinkConnections {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final SequencedSet<Connected> opened = new LinkedHashSet<>();
    private final SequencedSet<Connected> greeted = new LinkedHashSet<>();

    /** An open connection. */
    interface Connected extends LinkPeer {
        /** Says goodbye after what is queued. Does not wait. */
        void finish();
    }

    void opened(Connected connection) {
        lock.lock();
        try {
            opened.add(connection);
        } finally {
            lock.unlock();
        }
    }

    void greeted(Connected connection) {
        lock.lock();
        try {
            if (connection.isOpen()) {
                greeted.add(connection);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    void closed(Connected connection) {
        lock.lock();
        try {
            opened.remove(connection);
            greeted.remove(connection);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Every open connection. */
    List<Connected> all() {
        lock.lock();
        try {
            return new ArrayList<>(opened);
        } finally {
            lock.unlock();
        }
    }

    int count() {
        lock.lock();
        try {
            return opened.size();
        } finally {
            lock.unlock();
        }
    }

    /** Whether any gateway has said who it is. */
    boolean isAnyGreeted() {
        lock.lock();
        try {
            return !greeted.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** The gateway that is connected longest, waiting for one; null when the time was over. */
    @Nullable LinkPeer awaitOldest(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (greeted.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return greeted.isEmpty() ? null : greeted.getFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no gateway is connected, or the time is over. */
    void awaitNone(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (!opened.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
