package dev.perigee.local.replay;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes of copies in staging beside those of their originals in production, differences first.
 *
 * @param left how many copies are not among the rows, as there are too many to hold
 */
public record Comparison(List<Row> rows, long left) {
    public Comparison {
        rows = List.copyOf(rows);
    }

    /**
     * One command or request.
     *
     * @param at when the original was appended
     * @param origin where it is
     */
    public record Row(
            Difference difference,
            String what,
            String key,
            @Nullable String processId,
            Instant at,
            String origin,
            String originalId,
            String copyId,
            Fate production,
            Fate staging) {}

    /** Puts both sides together. */
    static Comparison of(List<Sent> copies, Evidence production, Evidence staging, long left) {
        var once = new LinkedHashMap<String, Sent>();
        copies.stream()
                .sorted(Comparator.comparing(Sent::at))
                .forEach(copy -> once.putIfAbsent(copy.id(), copy));
        var last = new HashMap<String, String>();
        var processes = new HashMap<String, String>();
        for (var copy : once.values()) {
            var process = process(copy, production, staging);
            if (process != null) {
                processes.put(copy.id(), process);
                last.put(process, copy.id());
            }
        }
        var rows = new ArrayList<Row>();
        for (var copy : once.values()) {
            var process = processes.get(copy.id());
            rows.add(
                    row(
                            copy,
                            process,
                            withFinal(production, production.fate(copy.originalId()), process),
                            withFinal(staging, staging.fate(copy.id()), process),
                            copy.id().equals(process == null ? null : last.get(process))));
        }
        rows.sort(Comparator.comparing(Row::difference).thenComparing(Row::at));
        return new Comparison(rows, left);
    }

    private static Row row(
            Sent copy, @Nullable String process, Fate production, Fate staging, boolean isLast) {
        return new Row(
                Difference.between(production, staging, isLast),
                copy.what(),
                copy.key(),
                process,
                copy.at(),
                copy.origin(),
                copy.originalId(),
                copy.id(),
                production,
                staging);
    }

    private static @Nullable String process(Sent copy, Evidence production, Evidence staging) {
        if (copy.processId() != null) {
            return copy.processId();
        }
        var inStaging = staging.fate(copy.id()).processId();
        return inStaging != null ? inStaging : production.fate(copy.originalId()).processId();
    }

    private static Fate withFinal(Evidence evidence, Fate fate, @Nullable String process) {
        return process == null ? fate : fate.withFinal(evidence.status(process));
    }

    /** How many rows have each kind of difference. */
    public Map<Difference, Long> totals() {
        var totals = new EnumMap<Difference, Long>(Difference.class);
        rows.forEach(row -> totals.merge(row.difference(), 1L, Long::sum));
        return totals;
    }

    /** How many rows differ. */
    public long differences() {
        return rows.stream().filter(row -> row.difference().counts()).count();
    }
}
