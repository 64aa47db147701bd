package dev.perigee.gateway.placement;

import java.time.Duration;

/**
 * Rate limits of moves.
 *
 * @param settle how long another worker must have been the better one
 * @param interval between two moves of partitions without processes
 * @param liveInterval between two moves of partitions with processes; zero for never
 * @param drainParallel how many partitions leave draining workers at a time
 * @param longest after this a move that did not end is not waited for
 */
public record MoveLimits(
        Duration settle,
        Duration interval,
        Duration liveInterval,
        int drainParallel,
        Duration longest) {}
