package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the system for names on platform threads of its own: its resolver blocks as long as it
 * likes, and the thread with it that a virtual one runs on, of which there are few for all that a
 * worker does. {@link LookupTurns} says how many an owner has of these threads, also for names that
 * nobody waits for any more. Safe for use by any thread.
 */
final class SystemLookups {
    static final Duration LONGEST = Duration.ofSeconds(10);

    private static final int IDLE_SECONDS = 10;

    private final Duration longest;
    private final ThreadPoolExecutor threads;

    /** Guarded by itself. */
    private final LookupTurns<Asked> turns = new LookupTurns<>();

    private record Asked(Object owner, FutureTask<List<InetAddress>> answer) {}

    /**
     * Starts no thread yet.
     *
     * @param longest until when an answer counts, that it waits for a thread included
     */
    SystemLookups(Duration longest) {
        this.longest = longest;
        this.threads =
                new ThreadPoolExecutor(
                        LookupTurns.MOST,
                        LookupTurns.MOST,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(LookupTurns.MOST),
                        Thread.ofPlatform().daemon().name("http-names-", 1).factory());
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Waits for an answer.
     *
     * @param owner whose share it counts to; compared by equals
     * @throws UnknownHostException when there is none in time
     */
    List<InetAddress> ask(Object owner, Names.Lookup lookup) throws UnknownHostException {
        var asked = new Asked(owner, new FutureTask<>(lookup::now));
        synchronized (turns) {
            if (!turns.add(owner, asked)) {
                throw new UnknownHostException("too many names are being looked up");
            }
        }
        beginNext();
        try {
            return asked.answer().get(longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof UnknownHostException why
                    ? why
                    : failure("its lookup failed", e);
        } catch (CancellationException e) {
            throw failure("no thread is left to look it up", e);
        } catch (TimeoutException e) {
            giveUp(asked);
            throw failure("its lookup takes too long", e);
        } catch (InterruptedException e) {
            giveUp(asked);
            Thread.currentThread().interrupt();
            throw failure("interrupted", e);
        }
    }

    private void beginNext() {
        for (Asked next; (next = next()) != null; ) {
            var begun = next;
            try {
                threads.execute(() -> run(begun));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                begun.answer().cancel(false); // The latter where the system has no thread left.
                ended(begun);
                if (isAnyUnderWay()) {
                    return; // Its end begins the next.
                }
            }
        }
    }

    private void run(Asked asked) {
        try {
            asked.answer().run();
        } finally {
            ended(asked);
            beginNext();
        }
    }

    private @Nullable Asked next() {
        synchronized (turns) {
            return turns.next();
        }
    }

    private boolean isAnyUnderWay() {
        synchronized (turns) {
            return turns.underWay() > 0;
        }
    }

    private void ended(Asked asked) {
        synchronized (turns) {
            turns.ended(asked.owner(), asked);
        }
    }

    private void giveUp(Asked asked) {
        asked.answer().cancel(true);
        synchronized (turns) {
            turns.giveUp(asked.owner(), asked);
        }
    }

    private static UnknownHostException failure(String what, Throwable cause) {
        var failure = new UnknownHostException(what);
        failure.initCause(cause);
        return failure;
    }
}
