package dev.perigee.bench.load;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/** Puts a load on one way for a while. Used by one thread. */
public final class LoadDriver {
    private static final long SLOWEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 3;

    /** Below what a fleet keeps of one user, so that an open loop too fast for it is only late. */
    private static final int MOST_OF_A_RATE = 1000;

    private final EchoPath path;
    private final Duration stallLimit;
    private final LongSupplier clock;

    /**
     * A driver of a path.
     *
     * @param stallLimit without any answer, after which a run fails
     */
    public LoadDriver(EchoPath path, Duration stallLimit) {
        this(path, stallLimit, System::nanoTime);
    }

    /** The same by another clock, in nanoseconds. */
    LoadDriver(EchoPath path, Duration stallLimit, LongSupplier clock) {
        this.path = path;
        this.stallLimit = stallLimit;
        this.clock = clock;
    }

    /**
     * Runs the load, then waits for what is under way.
     *
     * @throws IllegalStateException when an echo fails, or none comes for the stall limit
     */
    public Latencies run(Load load, Duration time) throws InterruptedException {
        long begin = clock.getAsLong();
        var run =
                switch (load) {
                    case Load.InFlight(int count) -> closed(count, begin + time.toNanos());
                    case Load.Rate(int perSecond) -> open(perSecond, begin, time);
                };
        return Latencies.of(run.latencies, clock.getAsLong() - begin, load);
    }

    private Run closed(int inFlight, long end) throws InterruptedException {
        var run = new Run(inFlight);
        do {
            run.await(1);
            path.send(run.sent(clock.getAsLong()));
        } while (clock.getAsLong() - end < 0);
        run.await(inFlight);
        return run;
    }

    private Run open(int perSecond, long begin, Duration time) throws InterruptedException {
        var run = new Run(MOST_OF_A_RATE);
        long calls = Math.max(1, time.toNanos() * perSecond / TimeUnit.SECONDS.toNanos(1));
        for (long i = 0; i < calls; i++) {
            long due = begin + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
            for (long left; (left = due - clock.getAsLong()) > 0; ) {
                LockSupport.parkNanos(left);
            }
            run.await(1);
            path.send(run.sent(due));
        }
        run.await(MOST_OF_A_RATE);
        return run;
    }

    /** One run's free slots and what came back. */
    private final class Run {
        private final ConcurrentHistogram latencies =
                new ConcurrentHistogram(SLOWEST_NANOS, DIGITS);
        private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
        private final Semaphore slots;

        Run(int slots) {
            this.slots = new Semaphore(slots);
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

        /** A call whose time counts from then. */
        EchoPath.Answer sent(long since) {
            return new EchoPath.Answer() {
                @Override
                public void arrived() {
                    latencies.recordValue(Math.min(SLOWEST_NANOS, clock.getAsLong() - since));
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
