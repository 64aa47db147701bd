package dev.perigee.worker.mcp;

import java.util.function.Supplier;

/**
 * Source of the target of HTTP requests. {@link #get} is asked for each request, on any thread, and
 * must not block.
 */
@FunctionalInterface
public interface TargetSource extends Supplier<HttpTarget> {
    /**
     * Called before each message that a call, a check or a handshake sends, on its own thread:
     * brings the target up to date. May wait, until the deadline at most.
     *
     * @param deadlineNanos in terms of {@link System#nanoTime}
     * @throws McpException when there is no target to send to, so that nothing is sent
     */
    default void renew(long deadlineNanos) throws McpException, InterruptedException {}
}
