package dev.perigee.bench.lifecycle;

import dev.perigee.bench.load.EchoPath;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls at a steady rate while something happens to the fleet: an open loop, so that each wait
 * counts from when its call was due. It ends when nobody has waited for a while.
 */
final class OutageProbe {
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final Duration STEADY = Duration.ofSeconds(1);
    private static final int PER_SECOND = 100;

    private final EchoPath path;
    private final ConcurrentSkipListSet<Long> open = new ConcurrentSkipListSet<>();
    private final AtomicLong longest = new AtomicLong();
    private final AtomicLong lastTrouble = new AtomicLong(System.nanoTime());
    private final AtomicInteger failed = new AtomicInteger();

    private OutageProbe(EchoPath path) {
        this.path = path;
    }

    /**
     * What was seen of it.
     *
     * @param longestMillis that a call waited for its answer
     * @param failed calls that were answered with an error
     */
    record Seen(double longestMillis, int failed) {}

    /** What is done to the fleet. */
    interface Fault {
        void happen() throws IOException, InterruptedException;
    }

    /**
     * Lets it happen under calls.
     *
     * @throws IOException when calls are not steady within the patience, before or after
     */
    static Seen of(EchoPath path, Fault fault, Duration patience)
            throws IOException, InterruptedException {
        var outage = new OutageProbe(path);
        var caller = Thread.ofPlatform().name("bench-outage").start(outage::call);
        try {
            outage.awaitSteady(patience);
            outage.longest.set(0);
            outage.failed.set(0);
            fault.happen();
            outage.lastTrouble.set(System.nanoTime());
            outage.awaitSteady(patience);
        } finally {
            caller.interrupt();
            caller.join();
        }
        return new Seen(
                outage.longest.get() / (double) TimeUnit.MILLISECONDS.toNanos(1),
                outage.failed.get());
    }

    private void call() {
        long due = System.nanoTime();
        while (!Thread.currentThread().isInterrupted()) {
            due += TimeUnit.SECONDS.toNanos(1) / PER_SECOND;
            for (long left; (left = due - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(left);
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
            }
            open.add(due);
            path.send(answer(due));
        }
    }

    private EchoPath.Answer answer(long due) {
        return new EchoPath.Answer() {
            @Override
            public void arrived() {
                open.remove(due);
                long now = System.nanoTime();
                longest.accumulateAndGet(now - due, Math::max);
                if (now - due > SLOW_NANOS) {
                    lastTrouble.set(now);
                }
            }

            @Override
            public void failed(String reason) {
                failed.incrementAndGet();
                arrived();
                lastTrouble.set(System.nanoTime());
            }
        };
    }

    private void awaitSteady(Duration patience) throws IOException, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() - lastTrouble.get() < STEADY.toNanos() || waits()) {
            if (System.nanoTime() - end > 0) {
                throw new IOException(
                        "Calls were not answered steadily within " + patience.toSeconds() + " s");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private boolean waits() {
        var oldest = open.isEmpty() ? null : open.first();
        return oldest != null && System.nanoTime() - oldest > SLOW_NANOS;
    }
}
