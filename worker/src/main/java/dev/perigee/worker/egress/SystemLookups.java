package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks the system for names on platform threads of its own, {@value #MOST} at a time: its resolver
 * blocks as long as it likes, and the thread with it that a virtual one runs on, of which there are
 * few for all that a worker does. Safe for use by any thread.
 */
final class SystemLookups {
    static final int MOST = 64;
    static final Duration LONGEST = Duration.ofSeconds(10);

    private static final int MOST_WAITING = 1024;
    private static final int IDLE_SECONDS = 10;

    private final Duration longest;
    private final ThreadPoolExecutor threads;

    /**
     * Starts no thread yet.
     *
     * @param longest until when an answer counts, that it waits for a thread included
     */
    SystemLookups(Duration longest) {
        this.longest = longest;
        this.threads =
                new ThreadPoolExecutor(
                        MOST,
                        MOST,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(MOST_WAITING),
                        Thread.ofPlatform().daemon().name("http-names-", 1).factory());
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Waits for an answer.
     *
     * @throws UnknownHostException when there is none in time
     */
    List<InetAddress> ask(Names.Lookup lookup) throws UnknownHostException {
        Future<List<InetAddress>> answer;
        try {
            answer = threads.submit(lookup::now);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            throw failure("too many names are being looked up", e);
        }
        try {
            return answer.get(longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof UnknownHostException why
                    ? why
                    : failure("its lookup failed", e);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw failure("its lookup takes too long", e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw failure("interrupted", e);
        }
    }

    private static UnknownHostException failure(String what, Throwable cause) {
        var failure = new UnknownHostException(what);
        failure.initCause(cause);
        return failure;
    }
}
