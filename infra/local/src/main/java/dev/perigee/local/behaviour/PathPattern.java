package dev.perigee.local.behaviour;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A pattern of places in a JSON value: names with dots between, {@code [3]} or {@code [*]} for
 * elements, {@code *} for any name, {@code **} for any number of steps. Immutable.
 */
final class PathPattern {
    private static final Pattern STEP = Pattern.compile("\\[(\\*|\\d+)]|([^.\\[\\]]+)");
    private static final String ANY_DEPTH = "**";

    private final List<String> steps;

    private PathPattern(List<String> steps) {
        this.steps = steps;
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException when it is none
     */
    static PathPattern of(String text) {
        var steps = new ArrayList<String>();
        var step = STEP.matcher(text);
        int at = 0;
        while (at < text.length()) {
            if (text.charAt(at) == '.' && at > 0) {
                at++;
            }
            if (!step.find(at) || step.start() != at) {
                throw new IllegalArgumentException(
                        "'" + text + "' is no path: write a.b[*].c, or **.c for any depth");
            }
            steps.add(step.group());
            at = step.end();
        }
        return new PathPattern(List.copyOf(steps));
    }

    boolean matches(List<String> path) {
        return matches(0, path, 0);
    }

    private boolean matches(int step, List<String> path, int at) {
        if (step == steps.size()) {
            return at == path.size();
        }
        var wanted = steps.get(step);
        if (wanted.equals(ANY_DEPTH)) {
            for (int from = at; from <= path.size(); from++) {
                if (matches(step + 1, path, from)) {
                    return true;
                }
            }
            return false;
        }
        if (at == path.size()) {
            return false;
        }
        var found = path.get(at);
        boolean isElement = found.startsWith("[");
        boolean fits =
                wanted.equals(found)
                        || (wanted.equals("[*]") && isElement)
                        || (wanted.equals("*") && !isElement);
        return fits && matches(step + 1, path, at + 1);
    }

    /** A path as people write it. */
    static String text(List<String> path) {
        var text = new StringBuilder();
        for (var step : path) {
            text.append(text.isEmpty() || step.startsWith("[") ? "" : ".").append(step);
        }
        return text.isEmpty() ? "(whole)" : text.toString();
    }
}
