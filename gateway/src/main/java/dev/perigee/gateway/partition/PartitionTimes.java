package dev.perigee.gateway.partition;

import java.time.Duration;

/**
 * Timeouts of owners.
 *
 * @param unknownServer for commands that may bring the server that a request names
 * @param silence for the result of an accepted request, past its deadline
 * @param command for the outcome of an order
 * @param commandMemory how long the id of a command that ended is known
 * @param requestMemory how long the id of a request that was answered is known
 * @param detach for the worker to hear of a detach
 * @param callWait for calls of a partition that has to leave its worker
 */
public record PartitionTimes(
        Duration unknownServer,
        Duration silence,
        Duration command,
        Duration commandMemory,
        Duration requestMemory,
        Duration detach,
        Duration callWait) {}
