package dev.perigee.worker.mcp;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Source of the target of HTTP requests. A target that is renewable has credentials that may be
 * others at any time, and have to be asked for; any other is what {@link #get} says. Safe for use
 * by any thread; only {@link #renew} blocks.
 */
@FunctionalInterface
public interface TargetSource extends Supplier<HttpTarget> {
    /**
     * The newest target.
     *
     * @throws IllegalStateException when it is renewable and was never renewed
     */
    @Override
    HttpTarget get();

    /** Whether the credentials may be others without a new configuration. */
    default boolean isRenewable() {
        return false;
    }

    /**
     * Called before each message that a call, a check or a handshake sends, on its own thread:
     * brings the target up to date. Waits, until the deadline at most.
     *
     * @param deadlineNanos in terms of {@link System#nanoTime}
     * @throws McpException when there is no target to send to, so that nothing is sent
     */
    default void renew(long deadlineNanos) throws McpException, InterruptedException {}

    /**
     * The same for what a client sends by itself: notices, streams, the end of a session. Completes
     * within some seconds, with what requests carried before where nothing newer can be had.
     */
    default CompletableFuture<HttpTarget> renewed() {
        return CompletableFuture.completedFuture(get());
    }

    /** A request that carried this was refused for its credentials: the next renewal asks anew. */
    default void refused(HttpTarget carried) {}

    /**
     * The same of an HTTP response.
     *
     * @param challenge its {@code WWW-Authenticate}, null without
     */
    default void refused(HttpTarget carried, int status, @Nullable String challenge) {
        refused(carried);
    }

    /**
     * What one request lacks that was refused though its credentials are good, for people; null
     * where the refusal is of the credentials.
     */
    default @Nullable String lacking(int status, @Nullable String challenge) {
        return null;
    }
}
