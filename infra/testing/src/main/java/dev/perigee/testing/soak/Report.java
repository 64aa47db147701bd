package dev.perigee.testing.soak;

import dev.perigee.testing.history.Admission;
import dev.perigee.testing.history.History;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Outcome of a run.
 *
 * @param admitted what happened of what is not promised
 * @param endedAlone how often parts ended that nobody had ended, by part and exit code
 * @param memory the most that each part had, in MiB
 * @param looks how often twins were looked for
 * @param longestGap the longest time between two looks
 */
public record Report(
        SoakPlan plan,
        List<Storm> storms,
        History history,
        Map<Admission, List<String>> admitted,
        Map<String, Integer> endedAlone,
        Map<String, Long> memory,
        long looks,
        Duration longestGap,
        Duration took,
        List<String> violations) {
    private static final int SHOWN = 20;

    public Report {
        storms = List.copyOf(storms);
        violations = List.copyOf(violations);
    }

    /** Whether everything was as promised. */
    public boolean isWell() {
        return violations.isEmpty();
    }

    /** For people: a table, and what is wrong with the seed, the schedule and where to look. */
    public String table() {
        var rows = new StringBuilder();
        row(rows, "seed", plan.seed());
        row(rows, "storms", storms.size() + " in " + seconds(took));
        row(rows, "faults", faults());
        row(rows, "asked", history.requests().size());
        row(rows, "answers", history.counts());
        row(rows, "slowest answer", seconds(history.slowest()));
        row(rows, "longest unavailable", seconds(history.longestUnavailability()));
        row(rows, "twins looked for", "%d times, %s apart at most".formatted(looks, gap()));
        row(rows, "ended by themselves", new TreeMap<>(endedAlone));
        row(rows, "memory, MiB", new TreeMap<>(memory));
        row(rows, "not promised", admittedCounts());
        row(rows, "violations", violations.size());
        if (!isWell()) {
            violations.stream().limit(SHOWN).forEach(each -> rows.append(each).append('\n'));
            rows.append("Schedule, output and history: ").append(plan.directory()).append('\n');
            storms.forEach(storm -> rows.append(storm).append('\n'));
            rows.append("Again: ").append(plan.again()).append('\n');
        }
        return rows.toString();
    }

    /** For programs. */
    public ObjectNode json() {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("seed", plan.seed())
                .put("well", isWell())
                .put("again", plan.again())
                .put("directory", plan.directory().toString())
                .put("seconds", took.toSeconds())
                .put("storms", storms.size());
        faults().forEach(json.putObject("faults")::put);
        json.put("asked", history.requests().size());
        history.counts().forEach(json.putObject("answers")::put);
        json.put("slowest_ms", history.slowest().toMillis())
                .put("longest_unavailable_ms", history.longestUnavailability().toMillis())
                .put("twin_looks", looks)
                .put("twin_looks_longest_gap_ms", longestGap.toMillis());
        endedAlone.forEach(json.putObject("ended_by_themselves")::put);
        memory.forEach(json.putObject("memory_mebibytes")::put);
        admittedCounts().forEach(json.putObject("not_promised")::put);
        violations.forEach(json.putArray("violations")::add);
        return json;
    }

    private Map<String, Long> faults() {
        return storms.stream()
                .flatMap(storm -> storm.steps().stream())
                .collect(
                        Collectors.groupingBy(
                                step -> step.fault().getClass().getSimpleName(),
                                TreeMap::new,
                                Collectors.counting()));
    }

    private Map<String, Integer> admittedCounts() {
        return admitted.entrySet().stream()
                .collect(
                        Collectors.toMap(
                                each -> each.getKey().words(),
                                each -> each.getValue().size(),
                                Integer::sum,
                                TreeMap::new));
    }

    private String gap() {
        return longestGap.toMillis() + " ms";
    }

    private static String seconds(Duration time) {
        return "%.1f s".formatted(time.toMillis() / 1000.0);
    }

    private static void row(StringBuilder rows, String name, Object value) {
        rows.append("%-20s %s%n".formatted(name, value));
    }
}
