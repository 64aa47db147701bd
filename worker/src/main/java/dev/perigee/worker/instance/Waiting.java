package dev.perigee.worker.instance;

import dev.perigee.protocol.link.InstanceOrder.Outcome;
import java.util.ArrayList;
import java.util.List;

/**
 * Orders that wait for their instance to settle, and outcomes that are ready. Outcomes are released
 * only when the instance shows what they say. Confined to the supervisor's thread.
 */
final class Waiting {
    private final List<Settlement> settlements = new ArrayList<>();
    private final List<Runnable> ready = new ArrayList<>();

    /** An order that ends when the instance settles. */
    void add(Settlement settlement) {
        settlements.add(settlement);
    }

    /** Ends all orders that wait. */
    void settle(Outcome outcome) {
        for (var settlement : settlements) {
            answer(settlement, outcome);
        }
        settlements.clear();
    }

    /** Ends one order. */
    void answer(Settlement settlement, Outcome outcome) {
        ready.add(() -> settlement.complete(outcome));
    }

    /** Releases the outcomes that are ready. */
    void release() {
        ready.forEach(Runnable::run);
        ready.clear();
    }
}
