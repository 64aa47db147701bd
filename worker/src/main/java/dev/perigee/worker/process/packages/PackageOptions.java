package dev.perigee.worker.process.packages;

import java.time.Duration;

/**
 * How packages are prepared; {@link PackageSettings} has the keys and explains each.
 *
 * @param prepare whether at all
 * @param refreshTimeout how long a newer version is looked for where there is an older one
 */
public record PackageOptions(
        boolean prepare,
        Duration timeout,
        int parallel,
        Duration refreshAfter,
        Duration refreshTimeout,
        Duration keep) {}
