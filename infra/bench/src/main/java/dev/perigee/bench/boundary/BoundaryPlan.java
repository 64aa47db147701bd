package dev.perigee.bench.boundary;

import java.time.Duration;

/**
 * Size of the boundary measurements.
 *
 * @param starts of instances that count, of each kind, in turns
 * @param rounds of calls
 * @param time of each round
 */
public record BoundaryPlan(int starts, int rounds, Duration time) {}
