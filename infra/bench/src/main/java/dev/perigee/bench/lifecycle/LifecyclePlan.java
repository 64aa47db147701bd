package dev.perigee.bench.lifecycle;

/**
 * Size of the measurements of starts and faults.
 *
 * @param starts installations, and bare starts, one after another
 * @param respawns of dormant instances
 * @param rounds of each fault
 * @param workerLoss whether a worker is lost for good, which takes a minute
 */
public record LifecyclePlan(int starts, int respawns, int rounds, boolean workerLoss) {}
