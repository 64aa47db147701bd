package dev.perigee.worker.instance;

import dev.perigee.protocol.link.InstanceOrder;
import java.util.function.Consumer;

/** Outcome of a submitted order, which takes effect whether or not anybody waits for it. */
@FunctionalInterface
public interface PendingOutcome {

    /**
     * Calls back once the order has ended, which the instance's own timeouts bound: at once where
     * it has ended already, otherwise on the thread that ends it, so the callback must not block.
     * May be called several times; each callback gets the same outcome. Callbacks of one instance's
     * orders run in the order in which these ended.
     */
    void whenEnded(Consumer<InstanceOrder.Outcome> then);
}
