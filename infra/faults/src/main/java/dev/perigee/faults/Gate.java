package dev.perigee.faults;

import java.util.function.BooleanSupplier;

/** The condition of a proxy, and where its connections wait while it holds them. Any thread. */
final class Gate {
    private Condition condition = Condition.HEALTHY;

    synchronized Condition condition() {
        return condition;
    }

    synchronized void set(Condition next) {
        condition = next;
        notifyAll();
    }

    /** Has those look again who wait and may have ended. */
    synchronized void wake() {
        notifyAll();
    }

    /** Waits until bytes may pass in a direction, or until who waits has ended. */
    synchronized void awaitOpen(Condition.Direction direction, BooleanSupplier ended)
            throws InterruptedException {
        while (condition.holds(direction) && !ended.getAsBoolean()) {
            wait();
        }
    }
}
