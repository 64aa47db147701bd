package dev.perigee.worker.process;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The processes of this system, read by one thread of its own at a time. Many who ask at the same
 * time share one reading, which begins after the last of them asked; after each the thread rests
 * three times as long as it took, so that ending hundreds of children costs a quarter of one
 * processor at most. There is no thread while there are no queries. One per worker.
 */
public final class ProcessTable {
    private static final int REST = 3;
    private static final Duration LONGEST_REST = Duration.ofMillis(500);

    private final ReentrantLock lock = new ReentrantLock();
    private final Supplier<ProcessSnapshot> reader;
    private @Nullable CompletableFuture<ProcessSnapshot> next;
    private boolean running;

    /** Of the system that this runs on. */
    public ProcessTable() {
        var processes = new ProcessReader();
        this(() -> new ProcessSnapshot(processes.read()));
    }

    /**
     * With another source.
     *
     * @param reader called by one thread at a time
     */
    ProcessTable(Supplier<ProcessSnapshot> reader) {
        this.reader = reader;
    }

    /** What lives now: no older than this call. Waits for a reading, interrupted or not. */
    ProcessSnapshot read() {
        CompletableFuture<ProcessSnapshot> reading;
        lock.lock();
        try {
            reading = next == null ? new CompletableFuture<>() : next;
            next = reading;
            if (!running) {
                Thread.ofPlatform().daemon().name("process-table").start(this::run);
                running = true;
            }
        } finally {
            lock.unlock();
        }
        return reading.join();
    }

    private void run() {
        for (var reading = begin(); reading != null; reading = begin()) {
            long start = System.nanoTime();
            try {
                reading.complete(reader.get());
            } catch (RuntimeException e) {
                reading.completeExceptionally(e);
            }
            long rest = REST * (System.nanoTime() - start);
            LockSupport.parkNanos(Math.min(rest, LONGEST_REST.toNanos()));
        }
    }

    /** Takes what was asked for, which begins now; null when the thread may end. */
    private @Nullable CompletableFuture<ProcessSnapshot> begin() {
        lock.lock();
        try {
            var reading = next;
            next = null;
            running = reading != null;
            return reading;
        } finally {
            lock.unlock();
        }
    }
}
