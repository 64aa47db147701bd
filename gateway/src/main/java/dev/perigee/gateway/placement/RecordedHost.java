package dev.perigee.gateway.placement;

/**
 * The worker that last hosted a partition, as the state topic has it.
 *
 * @param incarnation of the worker process that had the session
 */
public record RecordedHost(String workerId, String incarnation) {}
