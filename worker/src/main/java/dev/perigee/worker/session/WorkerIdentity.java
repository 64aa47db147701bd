package dev.perigee.worker.session;

/**
 * Who a worker is.
 *
 * @param workerId the same through restarts
 * @param incarnation new each time the worker process starts
 */
public record WorkerIdentity(String workerId, String incarnation) {}
