package dev.perigee.gateway.link;

import dev.perigee.protocol.link.InstanceOrder;

/** An instance order that is on its way. */
public interface PendingOrder {
    /**
     * Waits for the order's end, across reconnects, until the order's deadline. Blocks: call it on
     * a virtual thread, once, and not {@link #take}.
     *
     * @throws LinkException when the worker gave no outcome
     */
    InstanceOrder.Outcome await() throws LinkException, InterruptedException;

    /**
     * How it ended; to be asked once. Does not wait: what has not ended is not waited for any
     * longer.
     *
     * @throws LinkException when the worker gave no outcome; {@link LinkException.Reason#DEADLINE}
     *     when it has not ended
     */
    InstanceOrder.Outcome take() throws LinkException;
}
