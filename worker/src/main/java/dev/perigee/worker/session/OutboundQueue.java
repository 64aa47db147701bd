package dev.perigee.worker.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Send queue of a connection: answers and notifications first, events after them. Events wait for
 * room; answers do not, since the reader produces them, so a gateway that asks but does not read is
 * disconnected when too many wait. Any thread may call.
 */
final class OutboundQueue {
    /** Enough for one write; more only delays what comes next. */
    private static final int BATCH_BYTES = 64 * 1024;

    private final long eventBytesLimit;
    private final long controlBytesLimit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition drained = lock.newCondition();
    private final ArrayDeque<byte[]> control = new ArrayDeque<>();
    private final ArrayDeque<byte[]> events = new ArrayDeque<>();
    private long controlBytes;
    private long eventBytes;
    private boolean closed;
    private boolean finished;

    OutboundQueue(long eventBytesLimit, long controlBytesLimit) {
        this.eventBytesLimit = eventBytesLimit;
        this.controlBytesLimit = controlBytesLimit;
    }

    /**
     * Queues an answer or a notice; dropped when closed.
     *
     * @return false when too much is waiting: the other side does not read
     */
    boolean addControl(byte[] message) {
        lock.lock();
        try {
            if (isShut()) {
                return true;
            }
            control.add(message);
            controlBytes += message.length;
            return controlBytes <= controlBytesLimit;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Queues an event, waiting for room; one event of any size is taken when none is queued.
     *
     * @return false when closed
     */
    boolean addEvent(byte[] message) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isShut() && !fits(message.length)) {
                drained.await();
            }
            if (isShut()) {
                return false;
            }
            events.add(message);
            eventBytes += message.length;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether an event would not have to wait, now. */
    boolean hasRoom(int bytes) {
        lock.lock();
        try {
            return fits(bytes);
        } finally {
            lock.unlock();
        }
    }

    private boolean fits(int bytes) {
        return eventBytes == 0 || eventBytes + bytes <= eventBytesLimit;
    }

    /** What to write next; empty when nothing waits. */
    List<byte[]> next() {
        lock.lock();
        try {
            var batch = new ArrayList<byte[]>();
            long bytes = 0;
            while (!closed && bytes < BATCH_BYTES) {
                byte[] next = control.poll();
                if (next != null) {
                    controlBytes -= next.length;
                } else {
                    next = events.poll();
                    if (next == null) {
                        break;
                    }
                    eventBytes -= next.length;
                    drained.signal();
                }
                batch.add(next);
                bytes += next.length;
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Drops what is queued and lets everybody go. */
    void close() {
        lock.lock();
        try {
            closed = true;
            control.clear();
            events.clear();
            drained.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Takes nothing more; what is queued is still handed out. */
    void finish() {
        lock.lock();
        try {
            finished = true;
            drained.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** True when nothing will be handed out any more. */
    boolean isOver() {
        lock.lock();
        try {
            return closed || (finished && control.isEmpty() && events.isEmpty());
        } finally {
            lock.unlock();
        }
    }

    private boolean isShut() {
        return closed || finished;
    }
}
