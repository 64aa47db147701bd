package dev.perigee.worker.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An epoll(7) instance and the event descriptor that wakes it. Everything is called by the loop's
 * thread, except {@link #wake}.
 */
public final class Poller implements AutoCloseable {

    private static final int ADD = 1;
    private static final int REMOVE = 2;
    private static final int READABLE = 1;
    private static final int WRITABLE = 4;
    private static final int PEER_ENDED = 0x2000;
    private static final int EDGES = 1 << 31;
    private static final int CAPACITY = 256;
    private static final long WAKE_KEY = -1;

    /** struct epoll_event is packed on x86-64 and padded on every other machine. */
    private static final boolean PACKED = System.getProperty("os.arch", "").equals("amd64");

    private static final int EVENT_BYTES = PACKED ? 12 : 16;
    private static final int KEY_OFFSET = PACKED ? 4 : 8;

    private final NativeCalls calls = new NativeCalls();
    private final NativeCalls wakeCalls = new NativeCalls();
    private final MemorySegment change;
    private final MemorySegment events;
    private final MemorySegment one;
    private final MemorySegment drained;
    private final int epoll;
    private final int wakeFile;
    private final AtomicBoolean woken = new AtomicBoolean();
    private boolean closed;

    /** Opens both. */
    public Poller() {
        var memory = Arena.ofAuto();
        change = memory.allocate(EVENT_BYTES, Long.BYTES);
        events = memory.allocate((long) EVENT_BYTES * CAPACITY, Long.BYTES);
        one = memory.allocate(Long.BYTES, Long.BYTES);
        one.set(JAVA_INT, 0, 1);
        drained = memory.allocate(Long.BYTES, Long.BYTES);
        epoll = require(calls.epollCreate());
        wakeFile = require(calls.eventFile());
        control(ADD, wakeFile, READABLE, WAKE_KEY);
    }

    /** An event as often as it is waited for while there is something to read. */
    public void watchReadable(int file, long key) {
        control(ADD, file, READABLE, key);
    }

    void watchWritable(int file, long key) {
        control(ADD, file, WRITABLE, key);
    }

    /** One event whenever more can be read or written than before, or the peer has ended. */
    public void watchChanges(int file, long key) {
        control(ADD, file, READABLE | WRITABLE | PEER_ENDED | EDGES, key);
    }

    /** Always before the descriptor is closed: a spawn in flight may hold a copy of it. */
    public void forget(int file) {
        control(REMOVE, file, 0, 0);
    }

    private void control(int operation, int file, int interest, long key) {
        change.set(JAVA_INT_UNALIGNED, 0, interest);
        change.set(JAVA_LONG_UNALIGNED, KEY_OFFSET, key);
        require(calls.epollControl(epoll, operation, file, change));
    }

    /** Returns how many events are there; a negative timeout waits for ever. */
    public int await(int timeoutMillis) {
        var count = calls.epollWait(epoll, events, CAPACITY, timeoutMillis);
        return count == -Errno.INTERRUPTED ? 0 : require(count);
    }

    /** Whose the event is. */
    public long key(int index) {
        return events.get(JAVA_LONG_UNALIGNED, (long) index * EVENT_BYTES + KEY_OFFSET);
    }

    /**
     * Whether the key is the wake-up's own, which is then reset: in this order, so that who wakes
     * in between is seen by the work that follows and who wakes later writes again.
     */
    public boolean consumeWake(long key) {
        if (key != WAKE_KEY) {
            return false;
        }
        calls.read(wakeFile, drained, Long.BYTES);
        woken.set(false);
        return true;
    }

    /** Makes the current or the next wait return; cheap when that is already so. */
    public void wake() {
        if (woken.compareAndSet(false, true)) {
            synchronized (wakeCalls) {
                if (!closed) {
                    wakeCalls.write(wakeFile, one, Long.BYTES);
                }
            }
        }
    }

    @Override
    public void close() {
        synchronized (wakeCalls) {
            closed = true;
        }
        calls.close(wakeFile);
        calls.close(epoll);
    }

    private static int require(int result) {
        if (result < 0) {
            throw new IllegalStateException("Polling failed with error " + -result);
        }
        return result;
    }
}
