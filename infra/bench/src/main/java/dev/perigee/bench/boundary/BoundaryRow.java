package dev.perigee.bench.boundary;

import dev.perigee.bench.stat.Spread;
import org.jspecify.annotations.Nullable;

/**
 * Cost of servers in one kind of boundary.
 *
 * @param startMillis from the command to {@code online}
 * @param startOverBareMillis that less the bare spawn of a moment before
 * @param proportionalBytes proportional share (PSS) of all processes of an instance, the server
 *     among them; null where this user may not read it
 */
public record BoundaryRow(
        Spread startMillis,
        Spread startOverBareMillis,
        @Nullable Double proportionalBytes,
        Spread callP50Millis,
        Spread callP99Millis) {}
