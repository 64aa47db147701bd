package dev.perigee.link;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.jspecify.annotations.Nullable;

/**
 * The one writer of a connection. Messages wait in two lanes, and control goes before data. What
 * waits is written together, up to 64 KiB at a time, and the next after that: so control never
 * waits behind more, and load still fills packets. There is no writer thread: a flush writes on its
 * caller's thread, unless one is under way, which Jetty continues. Any thread may call.
 *
 * <p>Data is bounded by bytes, from {@link #reserve}, which blocks while there is no room, until it
 * is written. Control does not wait, since the reader produces it: when too much of it waits, the
 * other side does not read.
 */
public final class LinkWriter {
    /** Enough for one write; more only delays what comes next. */
    private static final int BATCH_BYTES = 64 * 1024;

    /** Permits that release all who wait for room. */
    private static final int ENDLESS = Integer.MAX_VALUE / 2;

    /** Where messages go. Its methods are called on any thread, perhaps under locks of a caller. */
    public interface Transport {
        /** Writes messages, of so many bytes, together; the callback is called once, after all. */
        void write(List<byte[]> messages, int bytes, Callback written);

        /** A write failed, and nothing is written any more. */
        void broken(Throwable cause);

        /** All that was queued before {@link #finish} is written. */
        default void finished() {}
    }

    /**
     * Most that may wait.
     *
     * @param dataBytes of data, of which one message of any size is taken when there is no other
     * @param controlMessages in the control lane
     * @param controlBytes in the control lane
     */
    public record Limits(long dataBytes, int controlMessages, long controlBytes) {}

    private record Waiting(Supplier<byte[]> message, int reserved) {}

    private final Transport transport;
    private final Limits limits;
    private final int roomBytes;
    private final Semaphore room;
    private final Queue<byte[]> control = new ConcurrentLinkedQueue<>();
    private final Queue<Waiting> data = new ConcurrentLinkedQueue<>();
    private final AtomicInteger controlMessages = new AtomicInteger();
    private final AtomicLong controlBytes = new AtomicLong();
    private final Writing writing = new Writing();
    private final AtomicBoolean isBounded = new AtomicBoolean(true);
    private volatile boolean finished;
    private volatile boolean closed;

    public LinkWriter(Transport transport, Limits limits) {
        this.transport = transport;
        this.limits = limits;
        this.roomBytes = (int) Math.min(limits.dataBytes(), ENDLESS);
        this.room = new Semaphore(roomBytes, true);
    }

    /**
     * Takes room for a message of data, blocking while there is none.
     *
     * @return the reservation to pass to {@link #data}, or -1 when there was no room in time
     */
    public int reserve(int bytes, long nanos) throws InterruptedException {
        int wanted = reserve(bytes);
        if (wanted >= 0) {
            return wanted;
        }
        wanted = Math.min(bytes, roomBytes);
        return room.tryAcquire(wanted, nanos, TimeUnit.NANOSECONDS) ? wanted : -1;
    }

    /**
     * Takes room for a message of data, blocking while there is none and it is not closed. Without
     * a timeout, which would wake the JVM's timer thread at each wait.
     *
     * @return the reservation to pass to {@link #data}
     */
    public int awaitRoom(int bytes) throws InterruptedException {
        int wanted = Math.min(bytes, roomBytes);
        room.acquire(wanted);
        return wanted;
    }

    /**
     * Takes room for a message of data; never blocks.
     *
     * @return the reservation to pass to {@link #data}, or -1 when there is no room, or others wait
     *     for it: a large message would never get as much while small ones pass it
     */
    public int reserve(int bytes) {
        int wanted = Math.min(bytes, roomBytes);
        return !room.hasQueuedThreads() && room.tryAcquire(wanted) ? wanted : -1;
    }

    /** Gives a reservation back that no message used. */
    public void release(int reserved) {
        room.release(reserved);
    }

    /**
     * Queues a message of data, for the next {@link #flush}; never blocks.
     *
     * @param reserved room taken for it, which is given back where it is dropped
     * @return false when it was dropped, since nothing more is written
     */
    public boolean data(byte[] message, int reserved) {
        if (isShut()) {
            release(reserved);
            return false;
        }
        var waiting = new Waiting(() -> message, reserved);
        data.add(waiting);
        if (isShut() && data.remove(waiting)) {
            release(reserved);
            return false;
        }
        return true;
    }

    /**
     * The same of a message for which no room was taken, as of what is sent again after an attach:
     * it is encoded only when it is written, on any thread, so that it takes no memory before.
     */
    public void data(Supplier<byte[]> message) {
        if (!isShut()) {
            data.add(new Waiting(message, 0));
        }
    }

    /**
     * Queues a control message, for the next {@link #flush}; never blocks.
     *
     * @return false when it was dropped, since too much waits: the connection is to be closed
     */
    public boolean control(byte[] message) {
        if (isShut()) {
            return true;
        }
        boolean fits = fits(message);
        if (fits) {
            control.add(message);
        }
        return fits;
    }

    /**
     * The same of a control message that must not pass the data that is queued. It goes behind
     * that, and counts as control.
     */
    public boolean answerBehindData(byte[] message) {
        if (isShut()) {
            return true;
        }
        boolean fits = fits(message);
        if (fits) {
            data(() -> written(message));
        }
        return fits;
    }

    private boolean fits(byte[] message) {
        int messages = controlMessages.incrementAndGet();
        long bytes = controlBytes.addAndGet(message.length);
        return messages <= limits.controlMessages() && bytes <= limits.controlBytes();
    }

    private byte[] written(byte[] message) {
        controlMessages.decrementAndGet();
        controlBytes.addAndGet(-message.length);
        return message;
    }

    /** Writes what is queued, as far as the transport takes it; never blocks. */
    public void flush() {
        if (!closed) {
            writing.iterate();
        }
    }

    /** Takes nothing more and writes what is queued; who waits for room returns, and is refused. */
    public void finish() {
        finished = true;
        unbind();
        flush();
    }

    /** Drops what is queued, writes nothing more; who waits for room returns, and is refused. */
    public void close() {
        closed = true;
        control.clear();
        data.clear();
        unbind();
    }

    private void unbind() {
        if (isBounded.compareAndSet(true, false)) {
            room.release(ENDLESS);
        }
    }

    private boolean isShut() {
        return closed || finished;
    }

    private final class Writing extends IteratingCallback {
        private int reserved;

        @Override
        protected Action process() {
            boolean last = finished;
            var batch = new ArrayList<byte[]>();
            int bytes = 0;
            for (byte[] next; bytes < BATCH_BYTES && (next = next()) != null; ) {
                batch.add(next);
                bytes += next.length;
            }
            if (batch.isEmpty()) {
                return last ? Action.SUCCEEDED : Action.IDLE;
            }
            transport.write(batch, bytes, this);
            return Action.SCHEDULED;
        }

        private byte @Nullable [] next() {
            if (closed) {
                return null;
            }
            var next = control.poll();
            if (next != null) {
                return written(next);
            }
            var waiting = data.poll();
            if (waiting == null) {
                return null;
            }
            reserved += waiting.reserved();
            return waiting.message().get();
        }

        @Override
        protected void onSuccess() {
            room.release(reserved);
            reserved = 0;
        }

        @Override
        protected void onCompleteSuccess() {
            transport.finished();
        }

        @Override
        protected void onCompleteFailure(Throwable cause) {
            LinkWriter.this.close();
            transport.broken(cause);
        }

        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }
    }
}
