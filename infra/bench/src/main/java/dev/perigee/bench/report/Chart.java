package dev.perigee.bench.report;

import dev.perigee.bench.stat.Spread;
import java.util.List;
import java.util.Map;

/**
 * Content of one chart: lines over a few places, each point with its spread.
 *
 * @param places along the horizontal axis, such as numbers of calls in flight, evenly spaced
 * @param lines by name, each with one point for each place
 */
public record Chart(String title, List<String> places, Map<String, List<Spread>> lines) {
    public Chart {
        places = List.copyOf(places);
        for (var line : lines.entrySet()) {
            if (line.getValue().size() != places.size()) {
                throw new IllegalArgumentException(
                        "%s has %d points at %d places"
                                .formatted(line.getKey(), line.getValue().size(), places.size()));
            }
        }
    }
}
