package dev.perigee.worker.egress;

/** Kinds of place that an address and a port lead to, as far as a worker knows. */
enum Place {
    /** Not this machine. */
    ELSEWHERE,
    /** This machine. */
    MACHINE,
    /** Where the worker itself listens, or may. */
    WORKER
}
