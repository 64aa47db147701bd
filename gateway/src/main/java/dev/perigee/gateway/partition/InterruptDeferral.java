package dev.perigee.gateway.partition;

/** Runs what may be interrupted where no interrupt can be thrown; the owner's loop sees it. */
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
