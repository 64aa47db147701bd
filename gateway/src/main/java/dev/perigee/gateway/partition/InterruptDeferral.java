package dev.perigee.gateway.partition;

/** Deferral of an interrupt to the owner's loop: callbacks cannot throw InterruptedException. */
final class InterruptDeferral {
    /** Work that may be interrupted. */
    interface Work {
        void run() throws InterruptedException;
    }

    private InterruptDeferral() {}

    static void run(Work work) {
        try {
            work.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
