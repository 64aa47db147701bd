package dev.perigee.gateway.link;

import dev.perigee.protocol.link.InstanceOrder;

/** An instance order that is on its way. */
public interface PendingOutcome {
    /**
     * Waits for the order's end, across reconnects, until the order's deadline. Blocks: call it on
     * a virtual thread, once.
     *
     * @throws LinkException when the worker gave no outcome
     */
    InstanceOrder.Outcome await() throws LinkException, InterruptedException;
}
