package dev.perigee.gateway.partition;

import dev.perigee.protocol.limit.RateLimit;

/**
 * Limits of one user within a partition.
 *
 * @param concurrency requests that may be at the worker at once
 * @param queue requests that may wait besides
 * @param openBytes arguments of all of them; a user's only request may be larger
 * @param rate how often requests are sent
 * @param partitionRequests requests of all users that may be open before those with many get less:
 *     a user's queue is never longer than what is left of this
 */
public record UserLimits(
        int concurrency, int queue, long openBytes, RateLimit rate, int partitionRequests) {}
