package dev.perigee.bench.boundary;

import dev.perigee.bench.stat.Spread;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Each kind of boundary by its name, and what the full one adds.
 *
 * @param addedStartMillis start in the full boundary less start in a jail with the host's network,
 *     each over its bare spawn, of the same round
 */
public record BoundaryFindings(Map<String, BoundaryRow> rows, Spread addedStartMillis) {
    public BoundaryFindings {
        rows = Collections.unmodifiableMap(new LinkedHashMap<>(rows));
    }
}
