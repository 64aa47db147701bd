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
        this.pending = new PendingInput(loop.options().stdinBufferBytes());
        this.transfers = loop.transfers();
        this.attend = attend;
    }

    void write(ByteBuffer message, Duration deadline) throws IOException {
        lock.lock();
        try {
            awaitRoom(message.remaining(), deadline.toNanos());
            if (pending.isEmpty()) {
                push(message);
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

    /** Writes until the pipe is full, the message done or the reader gone. */
    private void push(ByteBuffer message) {
        while (message.hasRemaining()) {
            var written = transfers.write(file, message);
            if (written == -Errno.TRY_AGAIN) {
                return;
            }
            if (written < 0 && written != -Errno.INTERRUPTED) {
                broken = true;
                pending.clear();
                room.signalAll();
                attend.run();
                return;
            }
        }
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

    /** Loop only: writes what is pending as far as the pipe takes it. */
    void flush() {
        lock.lock();
        try {
            for (ByteBuffer first; file != CLOSED && (first = pending.first()) != null; ) {
                var before = first.remaining();
                push(first);
                pending.written(before - first.remaining());
                room.signalAll();
                if (first.hasRemaining()) {
                    return;
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
