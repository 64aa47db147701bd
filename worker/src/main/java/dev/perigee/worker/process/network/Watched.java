package dev.perigee.worker.process.network;

/** What the loop looks after; on its thread only. */
@FunctionalInterface
interface Watched {
    /** Something can be done with one of its descriptors. */
    void ready();
}
