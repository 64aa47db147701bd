package dev.perigee.worker.process;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The standard input of one child. Callers write into the pipe themselves while it has room and
 * nothing is pending; the rest is left to the loop. Only the loop closes the descriptor, so that
 * nobody ever writes into a reused one.
 */
final class NativeInput {

    private static final int CLOSED = -1;

    private final Transfers transfers;
    private final Runnable attend;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final PendingInput pending;
    private int file;
    private boolean ending;
    private boolean broken;

    /**
     * @param attend asks the loop to look at this child
     */
    NativeInput(int file, NativeLoop loop, Runnable attend) {
        this.file = file;
        this.pending = new PendingInput(loop.options());
        this.transfers = loop.transfers();
        this.attend = attend;
    }

    void write(ByteBuffer message, Duration deadline) throws IOException {
        lock.lock();
        try {
            awaitRoom(message.remaining(), deadline.toNanos());
            pending.requireRoom(message.remaining());
            var flowing = pending.isEmpty();
            while (flowing && message.hasRemaining()) {
                flowing = push(message);
            }
            if (broken) {
                throw gone();
            }
            if (message.hasRemaining()) {
                pending.add(message);
                message.position(message.limit());
                attend.run();
            }
        } finally {
            lock.unlock();
        }
    }

    private void awaitRoom(int bytes, long nanos) throws IOException {
        var left = nanos;
        try {
            while (!closing() && !pending.fits(bytes)) {
                if (left <= 0) {
                    throw new InterruptedIOException(
                            "The process did not read its input in time: nothing was sent");
                }
                left = room.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted before anything was sent");
        }
        if (closing()) {
            throw gone();
        }
    }

    private boolean closing() {
        return ending || broken || file == CLOSED;
    }

    private static IOException gone() {
        return new IOException("The process has ended or its input is closed");
    }

    /** Writes once; false when the pipe is full or the reader gone. */
    private boolean push(ByteBuffer message) {
        var written = transfers.write(file, message);
        if (written >= 0 || written == -Errno.INTERRUPTED) {
            return true;
        }
        if (written != -Errno.TRY_AGAIN) {
            broken = true;
            pending.clear();
            room.signalAll();
            attend.run();
        }
        return false;
    }

    void end() {
        lock.lock();
        try {
            ending = true;
            room.signalAll();
            attend.run();
        } finally {
            lock.unlock();
        }
    }

    /** Loop only: whether writability must be watched. */
    boolean wantsRoom() {
        lock.lock();
        try {
            return file != CLOSED && !pending.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Loop only, the only one who changes it. */
    int file() {
        return file;
    }

    /**
     * Loop only: writes a part of what is pending, so that a fast reader does not hold the loop.
     */
    void flush() {
        lock.lock();
        try {
            var first = pending.first();
            if (file != CLOSED && first != null) {
                var before = first.remaining();
                push(first);
                if (!broken) {
                    pending.written(before - first.remaining());
                    room.signalAll();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Loop only: whether the descriptor has no further use. */
    boolean finished() {
        lock.lock();
        try {
            return file != CLOSED && (broken || (ending && pending.isEmpty()));
        } finally {
            lock.unlock();
        }
    }

    /** Loop only: gives up the descriptor and whatever is pending; returns it, or -1. */
    int detach() {
        lock.lock();
        try {
            var detached = file;
            file = CLOSED;
            pending.clear();
            room.signalAll();
            return detached;
        } finally {
            lock.unlock();
        }
    }
}
