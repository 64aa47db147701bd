package dev.perigee.gateway.partition;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits of tests for what other threads do: as long as a loaded machine may need, not longer. */
final class TestWaits {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private TestWaits() {}

    /** Until it is so. */
    static void until(String what, Callable<Boolean> isSo) {
        await(what).atMost(LIMIT).pollInterval(Duration.ofMillis(5)).until(isSo);
    }

    /** Until it is there. */
    static <T> T get(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("It did not come to that in time", e);
        }
    }
}
