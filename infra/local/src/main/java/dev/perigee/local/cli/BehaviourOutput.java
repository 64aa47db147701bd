package dev.perigee.local.cli;

import dev.perigee.local.behaviour.Behaviour;
import dev.perigee.local.behaviour.BehaviourPage;
import dev.perigee.local.behaviour.Kind;
import dev.perigee.local.recording.OwnFile;
import dev.perigee.part.CliException;
import dev.perigee.part.Output;
import dev.perigee.part.Printer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A comparison of behaviour as text, as a document and as a page. */
final class BehaviourOutput {
    private BehaviourOutput() {}

    /** What matters first, then a row for each group of differences. */
    static void print(Behaviour behaviour, Output output, Printer err, String name) {
        behaviour.headlines().forEach(output::line);
        var rows = new ArrayList<List<String>>();
        for (var row : behaviour.rows()) {
            rows.add(
                    List.of(
                            row.kind().code(),
                            Long.toString(row.count()),
                            row.what(),
                            row.signature()));
        }
        if (!rows.isEmpty()) {
            output.line("");
            output.table(List.of("DIFFERENCE", "COUNT", "WHAT", "WHERE"), rows);
        }
        output.line("");
        output.line(
                behaviour.compared()
                        + " calls and commands compared, "
                        + behaviour.same()
                        + " the same.");
        behaviour
                .skipped()
                .forEach(
                        (what, count) ->
                                err.line(
                                        name
                                                + ": skipped "
                                                + count
                                                + " x "
                                                + what
                                                + ", unknown to this version"));
    }

    static Map<String, Object> document(Behaviour behaviour) {
        var document = new LinkedHashMap<String, Object>();
        document.put("well", behaviour.isWell());
        document.put("failures", behaviour.failures().stream().map(Kind::code).toList());
        document.put("headlines", behaviour.headlines());
        document.put("compared", behaviour.compared());
        document.put("same", behaviour.same());
        var totals = new LinkedHashMap<String, Long>();
        for (var kind : Kind.values()) {
            totals.put(kind.code(), behaviour.totals().getOrDefault(kind, 0L));
        }
        document.put("totals", totals);
        document.put("groups", behaviour.rows().stream().map(BehaviourOutput::group).toList());
        document.put("times", behaviour.times());
        document.put("skipped", behaviour.skipped());
        return document;
    }

    private static Map<String, Object> group(Behaviour.Row row) {
        var group = new LinkedHashMap<String, Object>();
        group.put("kind", row.kind().code());
        group.put("what", row.what());
        group.put("where", row.signature());
        group.put("count", row.count());
        group.put("examples", row.examples());
        return group;
    }

    /** Writes the page, if one was asked for. */
    static void write(Behaviour behaviour, @Nullable Path report) {
        if (report != null) {
            try {
                OwnFile.replace(report, BehaviourPage.of(behaviour));
            } catch (IOException e) {
                throw CliException.usage("--report " + report + " cannot be written");
            }
        }
    }
}
