package dev.perigee.worker.log;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A batch with its clock: hands batches to the sink in order, full or after the interval, or when
 * flushed. No timer runs while there is nothing to say. Safe for use by any thread; the sink is
 * called under the given lock and must not block.
 */
final class TimedBatch<T> {
    private final ReentrantLock lock;
    private final LogBatcher<T> batcher;
    private final Duration interval;
    private final ScheduledExecutorService timers;
    private final Consumer<List<T>> sink;
    private boolean due;

    TimedBatch(
            ReentrantLock lock,
            int maxEntries,
            Duration interval,
            ScheduledExecutorService timers,
            Consumer<List<T>> sink) {
        this.lock = lock;
        this.batcher = new LogBatcher<>(maxEntries);
        this.interval = interval;
        this.timers = timers;
        this.sink = sink;
    }

    void add(T entry) {
        lock.lock();
        try {
            if (batcher.add(entry)) {
                handOver();
            } else {
                callSink();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sees to it that the sink is called within the interval, even with an empty batch. */
    void callSink() {
        lock.lock();
        try {
            if (!due) {
                due = true;
                startClock();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Calls the sink with what there is, if it would have been called. */
    void flush() {
        lock.lock();
        try {
            if (due) {
                handOver();
            }
        } finally {
            lock.unlock();
        }
    }

    private void startClock() {
        long batch = batcher.batch();
        try {
            var _ =
                    timers.schedule(
                            () -> flushIfCurrent(batch), interval.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            handOver(); // The worker is stopping: nobody will flush later.
        }
    }

    private void flushIfCurrent(long batch) {
        lock.lock();
        try {
            if (batcher.batch() == batch) {
                handOver();
            }
        } finally {
            lock.unlock();
        }
    }

    private void handOver() {
        due = false;
        sink.accept(batcher.take());
    }
}
