package dev.perigee.worker.session;

import dev.perigee.protocol.limit.RateLimit;

/**
 * How many requests may run on a worker.
 *
 * @param worker of all teams at once
 * @param team of one team at once
 * @param teamRate how often one of a team's is begun
 */
public record CallLimits(int worker, int team, RateLimit teamRate) {}
