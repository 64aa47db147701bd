package dev.perigee.local.behaviour;

import dev.perigee.local.masking.Masks;
import dev.perigee.local.recording.RecordingJson;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Finds the places at which two results differ. A text that is JSON is compared as such. Masks say
 * only that there was a secret: two of them are equal. Finds at most {@link #MOST}. Used once.
 */
final class ResultDiff {
    static final int MOST = 50;

    /** How many pairs of an unordered array's elements are compared; others differ. */
    private static final int MOST_LOOKED = 10_000;

    private static final int LONGEST_SHOWN = 500;

    private final List<CompareRules.Results> rules;
    private final List<Change> changes = new ArrayList<>();
    private final List<String> path = new ArrayList<>();

    private ResultDiff(List<CompareRules.Results> rules) {
        this.rules = rules;
    }

    static List<Change> of(JsonNode before, JsonNode after, List<CompareRules.Results> rules) {
        var diff = new ResultDiff(rules);
        diff.compare(before, after);
        return List.copyOf(diff.changes);
    }

    private void compare(JsonNode before, JsonNode after) {
        if (changes.size() >= MOST || rules.stream().anyMatch(rule -> rule.ignores(path))) {
            return;
        }
        if (before.isObject() && after.isObject()) {
            objects(before, after);
        } else if (before.isArray() && after.isArray()) {
            arrays(before, after);
        } else if (before.isString() && after.isString()) {
            texts(before.asString(), after.asString());
        } else if (before.isNumber() && after.isNumber()) {
            numbers(before.decimalValue(), after.decimalValue());
        } else if (!before.equals(after)) {
            add(before, after);
        }
    }

    private void objects(JsonNode before, JsonNode after) {
        var names = new LinkedHashSet<>(before.propertyNames());
        names.addAll(after.propertyNames());
        for (var name : names) {
            step(name, before.get(name), after.get(name));
        }
    }

    private void arrays(JsonNode before, JsonNode after) {
        if (rules.stream().anyMatch(rule -> rule.isUnordered(path))) {
            unordered(before, after);
            return;
        }
        for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
            step("[" + i + "]", before.get(i), after.get(i));
        }
    }

    private void unordered(JsonNode before, JsonNode after) {
        var left = new ArrayList<JsonNode>();
        after.forEach(left::add);
        var rest = new ArrayList<JsonNode>();
        // Equal ones first: they are found at once, and only the rest is compared by the rules.
        before.forEach(
                element -> {
                    if (!left.remove(element)) {
                        rest.add(element);
                    }
                });
        int looked = 0;
        int at = before.size() - rest.size();
        for (var element : rest) {
            int match = -1;
            for (int i = 0; i < left.size() && match < 0 && looked < MOST_LOOKED; i++) {
                looked++;
                match = isSame("[" + at + "]", element, left.get(i)) ? i : -1;
            }
            if (match >= 0) {
                left.remove(match);
            } else {
                step("[" + at + "]", element, null);
            }
            at++;
        }
        for (var element : left) {
            step("[" + at++ + "]", null, element);
        }
    }

    /** Whether the rules find no difference between two elements at a place below this one. */
    private boolean isSame(String step, JsonNode before, JsonNode after) {
        var diff = new ResultDiff(rules);
        diff.path.addAll(path);
        diff.path.add(step);
        diff.compare(before, after);
        return diff.changes.isEmpty();
    }

    private void step(String step, @Nullable JsonNode before, @Nullable JsonNode after) {
        path.add(step);
        if (before != null && after != null) {
            compare(before, after);
        } else if (changes.size() < MOST && rules.stream().noneMatch(rule -> rule.ignores(path))) {
            add(before, after);
        }
        path.removeLast();
    }

    private void texts(String before, String after) {
        if (before.equals(after)) {
            return;
        }
        var one = json(before);
        var other = json(after);
        if (one != null && other != null) {
            compare(one, other);
        } else if (!Masks.alike(before).equals(Masks.alike(after))) {
            changes.add(new Change(PathPattern.text(path), shown(before), shown(after)));
        }
    }

    private static @Nullable JsonNode json(String text) {
        if (!text.startsWith("{") && !text.startsWith("[")) {
            return null;
        }
        try {
            return RecordingJson.MAPPER.readTree(text);
        } catch (JacksonException e) {
            return null;
        }
    }

    private void numbers(BigDecimal before, BigDecimal after) {
        if (before.compareTo(after) == 0) {
            return;
        }
        double tolerance = rules.stream().mapToDouble(rule -> rule.tolerance(path)).max().orElse(0);
        var largest = before.abs().max(after.abs());
        var allowed = largest.multiply(BigDecimal.valueOf(tolerance));
        if (before.subtract(after).abs().compareTo(allowed) > 0) {
            changes.add(
                    new Change(
                            PathPattern.text(path),
                            shown(before.toString()),
                            shown(after.toString())));
        }
    }

    private void add(@Nullable JsonNode before, @Nullable JsonNode after) {
        changes.add(new Change(PathPattern.text(path), shown(before), shown(after)));
    }

    private static @Nullable String shown(@Nullable JsonNode value) {
        return value == null ? null : shown(value.toString());
    }

    private static String shown(String text) {
        return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
    }
}
