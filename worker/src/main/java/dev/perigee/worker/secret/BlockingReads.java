package dev.perigee.worker.secret;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Platform threads for reads that the file system may hold up for as long as it likes, such as a
 * share whose server is away: a virtual thread would take its carrier with it. Who waits goes on at
 * the deadline; a thread that hangs is not replaced. Threads end when they are not used. Safe for
 * use by any thread.
 */
final class BlockingReads {
    private static final Duration UNUSED = Duration.ofSeconds(10);

    private final ThreadPoolExecutor threads;

    /** So many threads; callers see to it that about as many reads wait at a time. */
    BlockingReads(int count) {
        this.threads =
                new ThreadPoolExecutor(
                        count,
                        count,
                        UNUSED.toNanos(),
                        TimeUnit.NANOSECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name("secret-files-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * What is read.
     *
     * @param deadlineNanos in terms of {@link System#nanoTime}
     * @throws TimeoutException when it is not read in time; then its thread is interrupted
     */
    <T> T read(Callable<T> what, long deadlineNanos)
            throws IOException, SecretException, TimeoutException, InterruptedException {
        var task = new FutureTask<>(what);
        threads.execute(task);
        try {
            return task.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            var cause = e.getCause();
            if (cause instanceof IOException failure) {
                throw failure;
            }
            if (cause instanceof SecretException failure) {
                throw failure;
            }
            throw new IllegalStateException(cause);
        } finally {
            if (!task.isDone()) {
                task.cancel(true);
                threads.remove(task);
            }
        }
    }
}
