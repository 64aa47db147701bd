package dev.perigee.local.cli;

import dev.perigee.local.replay.Comparison;
import dev.perigee.local.replay.Difference;
import dev.perigee.local.replay.Fate;
import dev.perigee.local.replay.Refusal;
import dev.perigee.local.replay.ReplayResult;
import dev.perigee.local.replay.RewriteFindings;
import dev.perigee.part.Output;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints what a replay did, or would do. */
final class ReplayReport {
    private final Output output;

    ReplayReport(Output output) {
        this.output = output;
    }

    /** What a dry run shows, as one document. */
    private record DryRun(
            String run,
            Map<String, Long> wouldSend,
            Map<String, Long> refused,
            long notWanted,
            Map<Integer, Long> byTargetPartition,
            List<SecretCount> secrets,
            Map<String, Long> hosts) {}

    private record SecretCount(
            String place, String name, String server, String done, long records) {}

    /** The last document of a run. */
    private record Summary(
            String run,
            Map<String, Long> sent,
            Map<String, Long> refused,
            long notWanted,
            Map<String, Long> comparison,
            long notCompared) {}

    void dryRun(ReplayResult result) {
        var counts = result.counts();
        var findings = result.findings();
        if (output.isJson()) {
            output.json(
                    new DryRun(
                            result.plan().run(),
                            counts.sent(),
                            counts.refused(),
                            counts.notWanted(),
                            result.byPartition(),
                            secrets(findings),
                            findings.hosts()));
            return;
        }
        output.line(
                "Would send "
                        + counts.totalSent()
                        + " records from "
                        + result.sourcePartitions()
                        + " partitions to "
                        + result.byPartition().size()
                        + " of "
                        + result.targetPartitions()
                        + "; "
                        + counts.notWanted()
                        + " are not selected.");
        section("KIND", counts.sent());
        refused(counts.refused());
        if (!findings.secrets().isEmpty()) {
            output.line("");
            output.table(
                    List.of("VALUE", "NAME", "SERVER", "IS", "RECORDS"),
                    secrets(findings).stream()
                            .map(
                                    each ->
                                            List.of(
                                                    each.place(),
                                                    each.name(),
                                                    each.server(),
                                                    each.done(),
                                                    Long.toString(each.records())))
                            .toList());
        }
        section("HOST", findings.hosts());
    }

    private static List<SecretCount> secrets(RewriteFindings findings) {
        var all = new ArrayList<SecretCount>();
        findings.secrets()
                .forEach(
                        (secret, count) ->
                                all.add(
                                        new SecretCount(
                                                secret.place(),
                                                secret.name(),
                                                secret.server(),
                                                secret.done(),
                                                count)));
        return all;
    }

    private void section(String title, Map<String, Long> counts) {
        if (!counts.isEmpty()) {
            output.line("");
            output.table(
                    List.of(title, "RECORDS"),
                    counts.entrySet().stream()
                            .map(each -> List.of(each.getKey(), each.getValue().toString()))
                            .toList());
        }
    }

    private void refused(Map<String, Long> refused) {
        if (!refused.isEmpty()) {
            output.line("");
            output.table(
                    List.of("REFUSED", "RECORDS", "WHY"),
                    Arrays.stream(Refusal.values())
                            .filter(reason -> refused.containsKey(reason.code()))
                            .map(
                                    reason ->
                                            List.of(
                                                    reason.code(),
                                                    String.valueOf(refused.get(reason.code())),
                                                    reason.explanation()))
                            .toList());
        }
    }

    void ended(ReplayResult result, Comparison comparison) {
        var counts = result.counts();
        if (output.isJson()) {
            comparison.rows().forEach(output::json);
            output.json(
                    new Summary(
                            result.plan().run(),
                            counts.sent(),
                            counts.refused(),
                            counts.notWanted(),
                            comparison.totals().entrySet().stream()
                                    .collect(
                                            Collectors.toMap(
                                                    each -> each.getKey().code(),
                                                    Map.Entry::getValue)),
                            comparison.left()));
            return;
        }
        if (!comparison.rows().isEmpty()) {
            output.table(
                    List.of(
                            "DIFFERENCE",
                            "KIND",
                            "KEY",
                            "PROCESS",
                            "PRODUCTION",
                            "STAGING",
                            "FINAL",
                            "FINAL IN STAGING",
                            "ID"),
                    comparison.rows().stream().map(this::row).toList());
            output.line("");
        }
        refused(counts.refused());
        output.line(
                "Run "
                        + result.plan().run()
                        + " sent "
                        + counts.totalSent()
                        + " records, refused "
                        + counts.totalRefused()
                        + ". "
                        + inWords(comparison));
    }

    private List<String> row(Comparison.Row row) {
        return List.of(
                row.difference() == Difference.NONE ? "" : row.difference().code(),
                row.what(),
                row.key(),
                row.processId() == null ? "" : row.processId(),
                row.production().inWords(),
                row.staging().inWords(),
                last(row.production()),
                last(row.staging()),
                row.originalId());
    }

    private static String last(Fate fate) {
        return fate.finalStatus() == null ? "" : fate.finalStatus();
    }

    private static String inWords(Comparison comparison) {
        var totals =
                comparison.totals().entrySet().stream()
                        .map(each -> each.getValue() + " " + each.getKey().explanation())
                        .collect(Collectors.joining(", "));
        var left =
                comparison.left() == 0
                        ? ""
                        : " " + comparison.left() + " more were sent and not compared.";
        return (totals.isEmpty() ? "Nothing was compared" : "Compared: " + totals) + "." + left;
    }
}
