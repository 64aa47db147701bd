package dev.perigee.gateway.link;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one writer of a connection. Frames wait in two lanes, and what is in the control lane goes
 * first; a small window of bytes is with the transport at a time, so that control frames never wait
 * behind more than that and load still fills packets. What waits is written together. There is no
 * writer thread: whoever flushes while nobody writes, writes.
 *
 * <p>Data is bounded by bytes: {@link #reserve} blocks while the buffer is full. Control frames are
 * bounded in number: a connection that piles them up is broken and is closed.
 */
final class FrameWriter {
    /** What sends frames; {@code done} is run once, when the transport has let go of all. */
    interface Transport {
        void send(List<byte[]> frames, int bytes, Runnable done);
    }

    private static final int WINDOW_BYTES = 64 * 1024;
    private static final int MAX_CONTROL_FRAMES = 20_000;

    private record Waiting(Supplier<byte[]> frame, int reserved) {}

    private final Transport transport;
    private final Consumer<String> onBroken;
    private final int bufferBytes;
    private final Semaphore buffer;
    private final Queue<Waiting> control = new ConcurrentLinkedQueue<>();
    private final Queue<Waiting> data = new ConcurrentLinkedQueue<>();
    private final AtomicInteger controlFrames = new AtomicInteger();
    private final AtomicLong atTransport = new AtomicLong();
    private final AtomicInteger work = new AtomicInteger();
    private volatile boolean closed;

    FrameWriter(Transport transport, int bufferBytes, Consumer<String> onBroken) {
        this.transport = transport;
        this.bufferBytes = bufferBytes;
        this.buffer = new Semaphore(bufferBytes, true);
        this.onBroken = onBroken;
    }

    /**
     * Takes room for a frame of data, blocking while there is none.
     *
     * @return the reservation to pass to {@link #data}, or -1 when there was no room in time
     */
    int reserve(int bytes, long nanos) throws InterruptedException {
        var wanted = reserve(bytes);
        if (wanted >= 0) {
            return wanted;
        }
        wanted = Math.min(bytes, bufferBytes);
        return buffer.tryAcquire(wanted, nanos, TimeUnit.NANOSECONDS) ? wanted : -1;
    }

    /**
     * Takes room for a frame of data; never blocks.
     *
     * @return the reservation to pass to {@link #data}, or -1 when there is no room
     */
    int reserve(int bytes) {
        var wanted = Math.min(bytes, bufferBytes);
        return closed || buffer.tryAcquire(wanted) ? wanted : -1;
    }

    /** Gives a reservation back that no frame used. */
    void release(int reserved) {
        buffer.release(reserved);
    }

    /**
     * Queues a frame of data, for the next {@link #flush}; never blocks.
     *
     * @param reserved room taken for it
     */
    void data(byte[] frame, int reserved) {
        if (!closed) {
            data.add(new Waiting(() -> frame, reserved));
        }
    }

    /**
     * The same of a frame for which no room was taken, as of what is sent again after an attach: it
     * is made when its turn comes, by any thread, so that what waits takes none.
     */
    void data(Supplier<byte[]> frame) {
        if (!closed) {
            data.add(new Waiting(frame, 0));
        }
    }

    /** Writes what is queued, as far as the transport takes it; never blocks. */
    void flush() {
        if (!closed) {
            write();
        }
    }

    /** Queues a control frame and writes; never blocks. */
    void control(byte[] frame) {
        if (closed) {
            return;
        }
        if (controlFrames.incrementAndGet() > MAX_CONTROL_FRAMES) {
            onBroken.accept("the worker does not read");
            return;
        }
        control.add(new Waiting(() -> frame, 0));
        write();
    }

    /** Nothing is sent any more; who waits for room gets it and finds the connection closed. */
    void close() {
        closed = true;
        control.clear();
        data.clear();
        buffer.release(Integer.MAX_VALUE / 2);
    }

    private void write() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        var seen = 1;
        do {
            drain();
            seen = work.addAndGet(-seen);
        } while (seen != 0);
    }

    private void drain() {
        while (!closed) {
            var frames = new ArrayList<byte[]>();
            int bytes = 0;
            int reserved = 0;
            long room = WINDOW_BYTES - atTransport.get();
            try {
                for (Waiting next; bytes < room && (next = next()) != null; ) {
                    var frame = next.frame().get();
                    frames.add(frame);
                    bytes += frame.length;
                    reserved += next.reserved();
                }
            } catch (RuntimeException e) {
                onBroken.accept("a frame could not be made: " + e.getClass().getSimpleName());
                return;
            }
            if (frames.isEmpty()) {
                return;
            }
            atTransport.addAndGet(bytes);
            int sentBytes = bytes;
            int sentReserved = reserved;
            try {
                transport.send(frames, bytes, () -> sent(sentBytes, sentReserved));
            } catch (RuntimeException e) {
                onBroken.accept("write failed: " + e.getClass().getSimpleName());
            }
        }
    }

    private @Nullable Waiting next() {
        var next = control.poll();
        if (next == null) {
            return data.poll();
        }
        controlFrames.decrementAndGet();
        return next;
    }

    private void sent(int bytes, int reserved) {
        buffer.release(reserved);
        atTransport.addAndGet(-bytes);
        write();
    }
}
