package dev.perigee.bench;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Keeps a number of echoes in flight on one path: a closed loop, each answer lets the next one go.
 */
final class LoadDriver {
    private static final long SLOWEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 3;

    private final EchoPath path;
    private final AtomicLong ids = new AtomicLong();

    LoadDriver(EchoPath path) {
        this.path = path;
    }

    /**
     * Runs the load.
     *
     * @throws IllegalStateException when an answer is missing for longer than the stall limit
     */
    Measurement run(int inFlight, int calls, Duration stallLimit) throws InterruptedException {
        var latencies = new ConcurrentHistogram(SLOWEST_NANOS, DIGITS);
        var slots = new Semaphore(inFlight);
        long begin = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            take(slots, 1, stallLimit);
            long sent = System.nanoTime();
            path.send(
                    ids.incrementAndGet(),
                    () -> {
                        latencies.recordValue(Math.min(SLOWEST_NANOS, System.nanoTime() - sent));
                        slots.release();
                    });
        }
        take(slots, inFlight, stallLimit);
        return Measurement.of(latencies, System.nanoTime() - begin);
    }

    private static void take(Semaphore slots, int count, Duration limit)
            throws InterruptedException {
        if (!slots.tryAcquire(count, limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    "No answer for " + limit.toSeconds() + " s: the path is stuck or lost a call");
        }
    }
}
