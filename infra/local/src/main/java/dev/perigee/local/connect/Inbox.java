package dev.perigee.local.connect;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Inputs of a connection in the order in which they came, {@link #MOST} at most, of which {@link
 * #MOST_LINES} are lines of the client: who has more waits, so that a client is not read faster
 * than it is served. Safe for use by any thread.
 */
final class Inbox {
    static final int MOST = 1_024;
    static final int MOST_LINES = 2;

    private final BlockingQueue<Input> inputs = new ArrayBlockingQueue<>(MOST);
    private final Semaphore lines = new Semaphore(MOST_LINES);

    /** Puts one in, and waits for room. */
    void put(Input input) throws InterruptedException {
        if (input instanceof Input.Received) {
            lines.acquire();
        }
        inputs.put(input);
    }

    /** Puts one in; false where there is no room within that time. */
    boolean put(Input input, Duration wait) throws InterruptedException {
        long end = System.nanoTime() + wait.toNanos();
        boolean isLine = input instanceof Input.Received;
        if (isLine && !lines.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        boolean isIn = inputs.offer(input, end - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (isLine && !isIn) {
            lines.release();
        }
        return isIn;
    }

    /** Puts one in where there is room. */
    boolean offer(Input input) {
        return inputs.offer(input);
    }

    /** The next one; null where there is none within that time. */
    @Nullable Input poll(Duration wait) throws InterruptedException {
        var input = inputs.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        if (input instanceof Input.Received) {
            lines.release();
        }
        return input;
    }
}
