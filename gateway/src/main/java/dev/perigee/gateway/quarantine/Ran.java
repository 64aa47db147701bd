package dev.perigee.gateway.quarantine;

import java.time.Duration;

/**
 * Run of an installation on a worker.
 *
 * @param time since its start
 * @param ordered whether a command had started it, not a gateway that brought it back
 */
public record Ran(Duration time, boolean ordered) {}
