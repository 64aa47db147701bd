package dev.perigee.local.behaviour;

import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Differences between two recordings. Immutable.
 *
 * @param compared calls and commands of the first
 * @param same those of them that came out the same
 * @param totals differences by kind
 * @param rows groups of them, the worst first
 * @param skipped what of the files this version does not know, by kind
 * @param failures kinds of which there are more than allowed
 */
public record Behaviour(
        RecordingHeader before,
        RecordingHeader after,
        long compared,
        long same,
        Map<Kind, Long> totals,
        List<Row> rows,
        List<ToolTime> times,
        Map<String, Long> skipped,
        List<Kind> failures) {
    /** What one part holds in memory: so many records of both, or so many bytes of them. */
    private static final long PART_RECORDS = 4_000;

    private static final long PART_BYTES = 2 << 20;
    private static final int FEWEST_PARTS = 8;
    private static final int MOST_PARTS = 400;

    /**
     * One group of differences.
     *
     * @param what a tool, a command's kind or two statuses
     * @param signature the places that differ, empty where there are none
     * @param examples a few of them
     */
    public record Row(
            Kind kind, String what, String signature, long count, List<Example> examples) {
        public Row {
            examples = List.copyOf(examples);
        }
    }

    public Behaviour {
        totals = Map.copyOf(totals);
        rows = List.copyOf(rows);
        times = List.copyOf(times);
        skipped = Map.copyOf(skipped);
        failures = List.copyOf(failures);
    }

    /**
     * Compares two files. Needs room for about ten times their size in the folder for temporary
     * files, which nobody else can read.
     *
     * @throws RecordingException when a file is no recording or not whole, or there is no room
     */
    public static Behaviour of(Path before, Path after, CompareRules rules) {
        var first = RecordingReader.verify(before);
        int parts = parts(first, RecordingReader.verify(after));
        boolean isOriginal = Side.isReplay(after, first.header());
        Path folder;
        try {
            folder = Files.createTempDirectory("perigee-compare-");
        } catch (IOException e) {
            throw RecordingException.ofStorage("No folder for temporary files: " + e.getMessage());
        }
        try {
            return compare(before, after, rules, folder, parts, isOriginal);
        } finally {
            try {
                Files.deleteIfExists(folder);
            } catch (IOException e) {
                // Empty; the system removes it.
            }
        }
    }

    private static Behaviour compare(
            Path before,
            Path after,
            CompareRules rules,
            Path folder,
            int parts,
            boolean isOriginal) {
        var groups = new Groups();
        var pairs = new CallPairs(rules, groups);
        try (var spill = new Spill(folder, "pairs", parts)) {
            var one = Side.read(before, folder, "before", parts, isOriginal, spill);
            var other = Side.read(after, folder, "after", parts, false, spill);
            pairs.read(spill);
            one.catalogues().compare(other.catalogues(), rules, groups);
            one.statuses().compare(other.statuses(), groups);
            var times = pairs.times();
            var skipped = new TreeMap<>(one.skipped());
            other.skipped().forEach((what, count) -> skipped.merge(what, count, Long::sum));
            return new Behaviour(
                    one.header(),
                    other.header(),
                    pairs.compared(),
                    pairs.same(),
                    groups.totals(),
                    groups.rows(),
                    times,
                    skipped,
                    failures(groups.totals(), rules));
        }
    }

    private static int parts(RecordingReader before, RecordingReader after) {
        long records = before.records() + after.records();
        long bytes = before.bytes() + after.bytes();
        return Math.clamp(
                Math.max(records / PART_RECORDS, bytes / PART_BYTES), FEWEST_PARTS, MOST_PARTS);
    }

    private static List<Kind> failures(Map<Kind, Long> totals, CompareRules rules) {
        var failures = new ArrayList<Kind>();
        for (var kind : Kind.values()) {
            if (kind.fails()
                    && totals.getOrDefault(kind, 0L) > rules.allowed().getOrDefault(kind, 0)) {
                failures.add(kind);
            }
        }
        return failures;
    }

    /** Whether nothing differs more than the rules allow. */
    public boolean isWell() {
        return failures.isEmpty();
    }

    /** What matters, in a few sentences, the worst first. */
    public List<String> headlines() {
        var lines = new ArrayList<String>();
        for (var kind : Kind.values()) {
            long total = totals.getOrDefault(kind, 0L);
            if (total > 0) {
                lines.add(total + " " + kind.words() + ": " + largest(kind));
            }
        }
        if (lines.isEmpty()) {
            lines.add("Nothing differs");
        }
        return lines;
    }

    private String largest(Kind kind) {
        var of = rows.stream().filter(row -> row.kind() == kind).toList();
        var words = new ArrayList<String>();
        of.stream()
                .limit(3)
                .forEach(
                        row ->
                                words.add(
                                        row.what()
                                                + (row.signature().isEmpty()
                                                        ? ""
                                                        : " (" + row.signature() + ")")
                                                + (row.count() > 1 ? " x" + row.count() : "")));
        return String.join("; ", words)
                + (of.size() > 3 ? "; and " + (of.size() - 3) + " more" : "");
    }
}
