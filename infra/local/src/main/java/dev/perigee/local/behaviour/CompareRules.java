package dev.perigee.local.behaviour;

import java.util.List;
import java.util.Map;

/**
 * Rules of a comparison: what is no difference, and how many differences are accepted. Immutable.
 *
 * @param all for results of every tool
 * @param tools besides, by tool path
 * @param allowed by kind, how many differences do not fail the comparison
 * @param slowerFactor how many times as long a tool's 99th percentile may take
 */
public record CompareRules(
        Results all, Map<String, Results> tools, Map<Kind, Integer> allowed, double slowerFactor) {
    public CompareRules {
        tools = Map.copyOf(tools);
        allowed = Map.copyOf(allowed);
    }

    /**
     * For results.
     *
     * @param ignored paths that are not compared
     * @param tolerances numbers at these paths may differ by this part of the larger one
     * @param unordered arrays at these paths are compared without regard to order
     */
    record Results(
            List<PathPattern> ignored,
            Map<PathPattern, Double> tolerances,
            List<PathPattern> unordered) {
        static final Results NONE = new Results(List.of(), Map.of(), List.of());

        Results {
            ignored = List.copyOf(ignored);
            tolerances = Map.copyOf(tolerances);
            unordered = List.copyOf(unordered);
        }

        boolean ignores(List<String> path) {
            return ignored.stream().anyMatch(pattern -> pattern.matches(path));
        }

        boolean isUnordered(List<String> path) {
            return unordered.stream().anyMatch(pattern -> pattern.matches(path));
        }

        double tolerance(List<String> path) {
            return tolerances.entrySet().stream()
                    .filter(each -> each.getKey().matches(path))
                    .mapToDouble(Map.Entry::getValue)
                    .max()
                    .orElse(0);
        }
    }

    /** Every difference counts, and a tool may not take twice as long. */
    public static CompareRules none() {
        return new CompareRules(Results.NONE, Map.of(), Map.of(), 2);
    }

    List<Results> of(String tool) {
        var own = tools.get(tool);
        return own == null ? List.of(all) : List.of(all, own);
    }
}
