package dev.perigee.worker.instance;

import dev.perigee.protocol.link.InstanceOrder;
import java.util.function.Consumer;

/** Outcome of a submitted order, which takes effect whether or not anybody waits for it. */
@FunctionalInterface
public interface PendingOutcome {

    /**
     * Tells the outcome once the order has come to its end, bounded by the instance's own timeouts:
     * at once where it has, otherwise on the thread that ends it, which must not be held up. May be
     * called several times; all get the same outcome. Outcomes of one instance's orders are told in
     * the order in which they came.
     */
    void whenEnded(Consumer<InstanceOrder.Outcome> then);
}
