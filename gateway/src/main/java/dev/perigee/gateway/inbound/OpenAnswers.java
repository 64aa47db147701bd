package dev.perigee.gateway.inbound;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Answers of one tenure that were handed to a producer and are not yet counted as done. A planned
 * end of the tenure lets no new one begin and waits for these: what the last commit does not know,
 * the next owner answers again. Thread-safe.
 */
final class OpenAnswers {
    private int open;
    private boolean closed;

    /**
     * Lets all come to an end, of tenures that end together: none begins any more. On the poll
     * thread.
     *
     * @param atMost to wait, for all of them together
     * @return false when some were not done in time
     */
    static boolean finish(List<OpenAnswers> leaving, Duration atMost) {
        leaving.forEach(OpenAnswers::close);
        long deadline = System.nanoTime() + atMost.toNanos();
        boolean finished = true;
        try {
            for (var each : leaving) {
                finished &= each.await(deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return finished;
    }

    /** False when the tenure is about to end: the next owner gives the answer. */
    synchronized boolean begin() {
        if (closed) {
            return false;
        }
        open++;
        return true;
    }

    /** One that began is done. */
    synchronized void end() {
        open--;
        notifyAll();
    }

    /** From now on none begins. */
    synchronized void close() {
        closed = true;
    }

    /**
     * Waits until all that began are done.
     *
     * @param deadline by {@link System#nanoTime}
     * @return false when they were not in time
     */
    synchronized boolean await(long deadline) throws InterruptedException {
        while (open > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, Duration.ofMillis(1).toNanos()));
        }
        return true;
    }
}
