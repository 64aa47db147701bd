package dev.perigee.bench;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a number of echoes in flight on one path: a closed loop, each answer lets the next one go.
 * One driver serves a path for all its measurements, so that no id is used twice. Used by one
 * thread.
 */
final class LoadDriver {
    private static final long SLOWEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 3;

    private final EchoPath path;
    private long lastId;

    LoadDriver(EchoPath path) {
        this.path = path;
    }

    /**
     * Runs the load.
     *
     * @throws IllegalStateException when an echo fails, or is missing for longer than the stall
     *     limit
     */
    Measurement run(int inFlight, int calls, Duration stallLimit) throws InterruptedException {
        var run = new Run(inFlight, stallLimit);
        long begin = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            run.await(1);
            path.send(++lastId, run.sent());
        }
        run.await(inFlight);
        return Measurement.of(run.latencies, System.nanoTime() - begin);
    }

    /** One run's free slots and what came back. */
    private static final class Run {
        private final ConcurrentHistogram latencies =
                new ConcurrentHistogram(SLOWEST_NANOS, DIGITS);
        private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
        private final Semaphore slots;
        private final Duration stallLimit;

        Run(int inFlight, Duration stallLimit) {
            this.slots = new Semaphore(inFlight);
            this.stallLimit = stallLimit;
        }

        void await(int count) throws InterruptedException {
            if (!slots.tryAcquire(count, stallLimit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(
                        "No answer for "
                                + stallLimit.toSeconds()
                                + " s: the path is stuck or lost a call");
            }
            var reason = failure.get();
            if (reason != null) {
                throw new IllegalStateException("A call failed: " + reason);
            }
        }

        EchoPath.Answer sent() {
            long sent = System.nanoTime();
            return new EchoPath.Answer() {
                @Override
                public void arrived() {
                    latencies.recordValue(Math.min(SLOWEST_NANOS, System.nanoTime() - sent));
                    slots.release();
                }

                @Override
                public void failed(String reason) {
                    failure.compareAndSet(null, reason);
                    slots.release();
                }
            };
        }
    }
}
