package dev.perigee.gateway.quarantine;

import java.time.Duration;

/**
 * When installations are quarantined.
 *
 * @param deaths of workers after which what ran there starts alone; 0 for never
 * @param memory how long a death counts
 * @param trial how long an installation runs alone at least
 * @param quiet how long the first trial waits after the worker was given what else it runs
 */
public record QuarantineLimits(int deaths, Duration memory, Duration trial, Duration quiet) {}
