package dev.perigee.worker.process.network;

/** Channel that the event loop serves; on its thread only. */
@FunctionalInterface
interface Watched {
    /** Something can be done with one of its descriptors. */
    void ready();
}
