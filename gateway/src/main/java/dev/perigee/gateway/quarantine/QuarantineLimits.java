package dev.perigee.gateway.quarantine;

import java.time.Duration;

/**
 * Limits from which installations are quarantined.
 *
 * @param deaths of workers after which what ran there starts alone; 0 for never
 * @param memory how long a death counts
 * @param trial how long an installation runs alone at least
 * @param quiet how long no trial begins after a partition was restored on a worker
 */
public record QuarantineLimits(int deaths, Duration memory, Duration trial, Duration quiet) {}
