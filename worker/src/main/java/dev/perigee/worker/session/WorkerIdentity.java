package dev.perigee.worker.session;

import dev.perigee.protocol.link.Hello;

/**
 * Identity of a worker.
 *
 * @param workerId the same through restarts
 * @param incarnation new each time the worker process starts
 * @param capacity how much it takes in proportion to other workers
 */
public record WorkerIdentity(String workerId, String incarnation, int capacity) {
    public WorkerIdentity(String workerId, String incarnation) {
        this(workerId, incarnation, Hello.USUAL_CAPACITY);
    }
}
