package dev.perigee.gateway;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repetition of a look at something that nobody tells of, from one period after the start until it
 * is closed. A look that fails unexpectedly is logged, and the next comes all the same. One virtual
 * thread; the period begins anew after each look.
 */
final class PeriodicLook implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeriodicLook.class);

    private final Duration period;
    private final Look look;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    /** What is repeated; it bounds its own time. */
    @FunctionalInterface
    interface Look {
        void look() throws InterruptedException;
    }

    /**
     * @param name of the thread
     */
    PeriodicLook(String name, Duration period, Look look) {
        this.period = period;
        this.look = look;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!closed.await(period.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    look.look();
                } catch (RuntimeException e) {
                    LOG.atError().setCause(e).log("A look failed; going on");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
