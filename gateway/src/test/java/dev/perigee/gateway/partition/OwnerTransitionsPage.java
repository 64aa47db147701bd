package dev.perigee.gateway.partition;

import dev.perigee.gateway.partition.OwnerTransitions.Transition;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The gateway's part of the page of sessions: a picture and a table of every transition. */
final class OwnerTransitionsPage {
    private static final String BEGIN =
            "<!-- Made from the code: OwnerTransitionsTest says how. -->\n";
    private static final String END = "<!-- End of what OwnerTransitionsTest makes. -->\n";

    private OwnerTransitionsPage() {}

    /** The page with its part made anew. */
    static String in(String page) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("No place for the gateway's part in the page");
        }
        return page.substring(0, begin + BEGIN.length()) + text() + page.substring(end);
    }

    private static String text() {
        var page = new StringBuilder("\n| stage | the owner |\n|---|---|\n");
        for (var stage : OwnerStage.values()) {
            page.append("| %s | %s |\n".formatted(name(stage), stage.meaning()));
        }
        page.append("\n```mermaid\nstateDiagram-v2\n");
        var arrows = new LinkedHashMap<String, Collection<String>>();
        for (var each : OwnerTransitions.all()) {
            if (each.from() != each.to()) {
                arrows.computeIfAbsent(
                                each.from() + " --> " + each.to(), _ -> new LinkedHashSet<>())
                        .add(name(each.event()));
            }
        }
        arrows.forEach(
                (arrow, events) ->
                        page.append("    %s : %s\n".formatted(arrow, String.join(", ", events))));
        page.append("```\n");
        for (var stage : OwnerStage.values()) {
            var rows = rows(stage);
            if (!rows.isEmpty()) {
                page.append("\n### Gateway: %s\n\n".formatted(name(stage)));
                page.append("| when | then the owner | and is |\n|---|---|---|\n");
                rows.forEach((then, when) -> page.append("| %s%s".formatted(when, then)));
            }
        }
        return page.append('\n').toString();
    }

    /** Events of one row by what follows, which is the same for some. */
    private static Map<String, String> rows(OwnerStage stage) {
        var rows = new LinkedHashMap<String, String>();
        OwnerTransitions.all().stream()
                .filter(each -> each.from() == stage && !isNothing(each))
                .forEach(
                        each ->
                                rows.merge(
                                        " | %s | %s |\n"
                                                .formatted(what(each.actions()), name(each.to())),
                                        "`%s`: %s"
                                                .formatted(
                                                        name(each.event()), each.event().meaning()),
                                        (one, other) -> one + "; " + other));
        return rows;
    }

    private static boolean isNothing(Transition row) {
        return row.from() == row.to() && row.actions().isEmpty();
    }

    private static String what(List<OwnerAction> actions) {
        return actions.stream().map(OwnerAction::meaning).collect(Collectors.joining(", "));
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
