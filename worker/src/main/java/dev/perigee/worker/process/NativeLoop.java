package dev.perigee.worker.process;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that reads all children's pipes, finishes writes and collects exits. A ready
 * stream is read once per turn, so none starves the others. It owns what is watched; others reach
 * it by {@link #attend} and {@link #stop} only.
 */
final class NativeLoop implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(NativeLoop.class);
    static final int BUFFER_BYTES = 1 << 16;

    /** How many low bits of a descriptor's key say what it is. */
    static final int KIND_BITS = 2;

    private static final int FOREVER = -1;

    /** What the loop serves; called on its thread. */
    interface Child {
        /** Of its descriptors, above {@link #KIND_BITS}; of no other child. */
        long key();

        long pid();

        /** The descriptor of this kind is ready. */
        void ready(int kind);

        /** Makes what is watched agree with what is wanted. */
        void reconcile();

        /** In terms of {@link System#nanoTime}. */
        long graceEnd();

        /** Closes what is still open, unless output is paused: then the resume restarts it. */
        void endGrace();

        /** The loop ends: nothing is reported any more. */
        void abandon();
    }

    private final LauncherOptions options;
    private final Transfers transfers = new Transfers();
    private final Poller poller = new Poller();
    private final NativeCalls calls = new NativeCalls();
    private final MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_BYTES);
    private final ByteBuffer bytes = buffer.asByteBuffer().asReadOnlyBuffer();
    private final Map<Long, Child> children = new HashMap<>();

    /** At most one entry per child. */
    private final Queue<Child> attention = new ConcurrentLinkedQueue<>();

    /**
     * Exited children whose streams are held, by the end of their grace: it is the same for all.
     */
    private final ArrayDeque<Child> lingering = new ArrayDeque<>();

    private volatile boolean stopping;

    NativeLoop(LauncherOptions options) {
        this.options = options;
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                turn();
            }
        } finally {
            attendAll();
            children.values().forEach(Child::abandon);
            poller.close();
        }
    }

    private void turn() {
        var count = poller.await(timeoutMillis());
        for (var index = 0; index < count; index++) {
            var key = poller.key(index);
            if (!poller.consumeWake(key)) {
                var child = children.get(key >> KIND_BITS);
                if (child != null) {
                    guarded(child, () -> child.ready((int) key & ((1 << KIND_BITS) - 1)));
                }
            }
        }
        attendAll();
        endGraces();
    }

    private void attendAll() {
        for (Child child; (child = attention.poll()) != null; ) {
            var attended = child;
            guarded(attended, attended::reconcile);
        }
    }

    private void endGraces() {
        for (Child first;
                (first = lingering.peek()) != null && first.graceEnd() - System.nanoTime() <= 0; ) {
            var child = lingering.remove();
            guarded(child, child::endGrace);
        }
    }

    private int timeoutMillis() {
        var first = lingering.peek();
        if (first == null) {
            return FOREVER;
        }
        var nanos = Math.max(0, first.graceEnd() - System.nanoTime());
        return (int) Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
    }

    /** An error of one child does not affect the others. */
    private static void guarded(Child child, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pid", child.pid()).setCause(e).log("Serving a child failed");
        }
    }

    /** Any thread. */
    void attend(Child child) {
        attention.add(child);
        poller.wake();
    }

    /** Any thread. */
    void stop() {
        stopping = true;
        poller.wake();
    }

    LauncherOptions options() {
        return options;
    }

    Transfers transfers() {
        return transfers;
    }

    Poller poller() {
        return poller;
    }

    /** Puts a child where its events find it. */
    void insert(Child child) {
        children.put(child.key(), child);
    }

    boolean remove(Child child) {
        return children.remove(child.key()) != null;
    }

    int read(int file, int limitBytes) {
        return (int) calls.read(file, buffer, limitBytes);
    }

    /** What the last read got, until the next. */
    ByteBuffer bytes(int count) {
        return bytes.clear().limit(count);
    }

    void closeFile(int file) {
        calls.close(file);
    }

    @Nullable ExitStatus collect(int processFile) {
        return calls.collect(processFile);
    }

    long graceEnd() {
        return System.nanoTime() + options.outputGrace().toNanos();
    }

    void expectEnd(Child child) {
        lingering.add(child);
    }
}
