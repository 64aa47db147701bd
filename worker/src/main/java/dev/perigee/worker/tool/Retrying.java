package dev.perigee.worker.tool;

import dev.perigee.worker.mcp.McpException;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tries requests again as {@link RetryDecision} allows, on the calling thread, which sleeps in
 * between. One for all instances of a worker; safe for use by any thread.
 */
public final class Retrying {
    private final Retry repeatable;
    private final Retry onlyUnsent;
    private final Retry whenAsked;

    /** One attempt of a request. */
    public interface Attempt<T> {
        T run() throws McpException, InterruptedException;
    }

    /** Retries by these options. */
    public Retrying(RetryOptions options) {
        this.repeatable = retry("repeatable", options, why -> RetryDecision.retries(why, true));
        this.onlyUnsent = retry("only-unsent", options, why -> RetryDecision.retries(why, false));
        this.whenAsked = retry("when-asked", options, RetryDecision::isAskedToWait);
    }

    private static Retry retry(
            String name, RetryOptions options, Predicate<McpException> decision) {
        return Retry.of(
                name,
                RetryConfig.custom()
                        .maxAttempts(options.maxAttempts())
                        .intervalFunction(attempts -> options.delayAfter(attempts).toMillis())
                        .retryOnException(
                                thrown ->
                                        thrown instanceof McpException failure
                                                && decision.test(failure))
                        .build());
    }

    private static Duration pause(Duration own, @Nullable Duration asked) {
        return asked == null || asked.compareTo(own) < 0 ? own : asked;
    }

    /**
     * Runs the attempt until it succeeds, must not be repeated, or could not be any more before the
     * deadline.
     *
     * @param isRepeatable whether the server may receive the request twice
     * @param deadlineNanos by {@link System#nanoTime()}
     * @throws McpException the last attempt's
     * @throws InterruptedException when interrupted, also between attempts
     */
    public <T> T call(Attempt<T> attempt, boolean isRepeatable, long deadlineNanos)
            throws McpException, InterruptedException {
        return call(attempt, isRepeatable ? repeatable : onlyUnsent, deadlineNanos);
    }

    /**
     * As {@link #call}, but only a server that did not process the request and says when it would
     * is asked again: for what finds out whether the server can be reached.
     */
    public <T> T whenAsked(Attempt<T> attempt, long deadlineNanos)
            throws McpException, InterruptedException {
        return call(attempt, whenAsked, deadlineNanos);
    }

    private static <T> T call(Attempt<T> attempt, Retry retry, long deadlineNanos)
            throws McpException, InterruptedException {
        Retry.AsyncContext<T> context = retry.asyncContext();
        while (true) {
            try {
                var result = attempt.run();
                context.onComplete();
                return result;
            } catch (McpException e) {
                long pauseMs = context.onError(e);
                if (pauseMs < 0) {
                    throw e;
                }
                var pause = pause(Duration.ofMillis(pauseMs), e.retryAfter());
                if (deadlineNanos - System.nanoTime() <= pause.toNanos()) {
                    throw e;
                }
                Thread.sleep(pause);
            }
        }
    }
}
