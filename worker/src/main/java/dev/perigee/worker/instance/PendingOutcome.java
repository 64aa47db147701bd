package dev.perigee.worker.instance;

import dev.perigee.protocol.link.InstanceOrder;

/** Outcome of a submitted order, which takes effect whether or not anybody waits for it. */
public interface PendingOutcome {

    /**
     * Waits until the order has come to its end, bounded by the instance's own timeouts. May be
     * called by several threads and again afterwards; all get the same outcome.
     */
    InstanceOrder.Outcome await() throws InterruptedException;
}
