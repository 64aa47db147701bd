package dev.perigee.gateway.partition;

import dev.perigee.gateway.partition.CallFacts.Guard;
import dev.perigee.gateway.partition.CallTransitions.Transition;
import dev.perigee.protocol.tool.ToolMethod;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The transitions of requests as a page of the documentation: a picture and a table. */
final class CallTransitionsPage {
    private static final String HEAD =
            """
            # What becomes of a request

            <!-- Made from the code: CallTransitionsTest says how. -->

            A request is one record of `tool-requests`, and gets one answer. This is every step of one between the two, as the gateway that owns
            its partition decides it. An answer by the gateway itself has the error code that is named; where the request calls a
            tool and may have run in a session that is gone, that code is `outcome_unknown` instead, but for `timeout`. Of several rows for one
            event the first whose condition holds counts. What is not here cannot happen, or changes nothing.

            A request that may have run is sent to one more worker, marked so. That worker runs a tool again only where the tool says of itself that
            it is read-only or idempotent, and answers that it will not run otherwise ([decision](../adr/0010-what-may-have-run.md)).

            A *session* is what a worker keeps of one partition. It outlives connections and gateways, and ends with its worker's process, or when
            nobody attached to it for too long ([concepts](../concepts.md)).

            | stage | the request |
            |---|---|
            """;

    private CallTransitionsPage() {}

    static String text() {
        var page = new StringBuilder(HEAD);
        for (var stage : CallStage.values()) {
            page.append("| %s | %s |\n".formatted(name(stage), stage.meaning()));
        }
        page.append("\n```mermaid\nstateDiagram-v2\n");
        arrows().forEach(
                        (arrow, events) ->
                                page.append("    %s : %s\n".formatted(arrow, names(events))));
        page.append("```\n");
        for (var stage : CallStage.values()) {
            var rows =
                    CallTransitions.all().stream()
                            .filter(each -> each.from() == stage)
                            .filter(each -> each.action() != CallAction.NOTHING)
                            .toList();
            if (!rows.isEmpty()) {
                page.append("\n## %s\n\n".formatted(name(stage)));
                page.append("| when | and | then the gateway | and the request is |\n");
                page.append("|---|---|---|---|\n");
                rows.forEach(each -> page.append(row(each)));
            }
        }
        return page.toString();
    }

    private static Map<String, Collection<CallEvent>> arrows() {
        var arrows = new LinkedHashMap<String, Collection<CallEvent>>();
        for (var each : CallTransitions.all()) {
            if (each.from() != each.to()) {
                var arrow = each.from() + " --> " + each.to();
                arrows.computeIfAbsent(arrow, _ -> new LinkedHashSet<>()).add(each.event());
            }
        }
        return arrows;
    }

    private static String names(Collection<CallEvent> events) {
        return events.stream().map(CallTransitionsPage::name).collect(Collectors.joining(", "));
    }

    private static String row(Transition row) {
        return "| %s | %s | %s | %s |\n"
                .formatted(
                        row.event().meaning(), row.guard().meaning(), action(row), name(row.to()));
    }

    private static String action(Transition row) {
        var own = row.answer();
        var what = row.action().meaning();
        if (own != null && surelyAfterPossibleRun(row)) {
            var tool = code(own.afterPossibleRun(ToolMethod.TOOLS_CALL));
            var other = code(own.afterPossibleRun(ToolMethod.TOOLS_LIST));
            what += tool.equals(other) ? " " + tool : " " + tool + " to a tool call, else " + other;
        } else if (own != null) {
            what += " " + code(own);
        }
        return row.ran() ? "notes that it may have run, " + what : what;
    }

    private static boolean surelyAfterPossibleRun(Transition row) {
        return row.ran() || row.guard() == Guard.RAN_TWICE || row.guard() == Guard.MAY_HAVE_ACTED;
    }

    private static String code(OwnAnswer own) {
        return "`" + own.error().code().name().toLowerCase(Locale.ROOT) + "`";
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
