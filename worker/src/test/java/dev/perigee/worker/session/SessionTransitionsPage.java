package dev.perigee.worker.session;

import dev.perigee.worker.session.SessionTransitions.Transition;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The worker's part of the page of sessions: a picture and a table of every transition. */
final class SessionTransitionsPage {
    private static final String BEGIN =
            "<!-- Made from the code: SessionTransitionsTest says how. -->\n";
    private static final String END = "<!-- End of what SessionTransitionsTest makes. -->\n";
    private static final Map<Class<? extends SessionEvent>, String> MEANINGS =
            Map.ofEntries(
                    Map.entry(SessionEvent.Attach.class, "a gateway attaches"),
                    Map.entry(SessionEvent.Extend.class, "a gateway extends its lease"),
                    Map.entry(SessionEvent.Answer.class, "a gateway answers a ping"),
                    Map.entry(SessionEvent.Detach.class, "a gateway detaches its claim"),
                    Map.entry(SessionEvent.Close.class, "a connection is gone"),
                    Map.entry(SessionEvent.Order.class, "a connection asks for something"),
                    Map.entry(SessionEvent.Release.class, "a gateway asks to end the session"),
                    Map.entry(SessionEvent.Leave.class, "the worker stops"),
                    Map.entry(
                            SessionEvent.Flushed.class,
                            "the processes are gone, and their events acknowledged"),
                    Map.entry(SessionEvent.Stop.class, "the worker has waited long enough"),
                    Map.entry(SessionEvent.Cleared.class, "the processes are gone"),
                    Map.entry(SessionEvent.Look.class, "time passes"));

    private SessionTransitionsPage() {}

    /** The page with its part made anew. */
    static String in(String page) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("No place for the worker's part in the page");
        }
        return page.substring(0, begin + BEGIN.length()) + text() + page.substring(end);
    }

    private static String text() {
        var page = new StringBuilder("\n| stage | the session |\n|---|---|\n");
        for (var stage : SessionStage.values()) {
            page.append("| %s | %s |\n".formatted(name(stage), stage.meaning()));
        }
        page.append("\n```mermaid\nstateDiagram-v2\n");
        arrows().forEach(
                        (arrow, events) ->
                                page.append(
                                        "    %s : %s\n"
                                                .formatted(arrow, String.join(", ", events))));
        page.append("```\n");
        for (var stage : SessionStage.values()) {
            page.append("\n### Worker: %s\n\n".formatted(name(stage)));
            page.append("| when | and | then the worker | and the session is |\n");
            page.append("|---|---|---|---|\n");
            SessionTransitions.all().stream()
                    .filter(each -> each.from() == stage && !isNothing(each))
                    .forEach(each -> page.append(row(each)));
        }
        return page.append(drain()).toString();
    }

    /** Whether sessions are created at all. */
    private static String drain() {
        var page =
                new StringBuilder(
                        "\n### Worker: its drain\n\nWhether it creates sessions is the same for all"
                                + " partitions: it does while it serves.\n\n"
                                + "| phase | drain | undo | stop | nothing is left |\n"
                                + "|---|---|---|---|---|\n");
        for (var phase : DrainState.Phase.values()) {
            var state = new DrainState(phase, 0, null, null);
            var next =
                    List.of(
                            state,
                            state.drain("", Instant.EPOCH),
                            state.undo(),
                            state.stop("", Instant.EPOCH),
                            state.left(0));
            page.append(
                    next.stream()
                            .map(each -> each.phase().name().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(" | ", "| ", " |\n")));
        }
        return page.append('\n').toString();
    }

    private static boolean isNothing(Transition row) {
        return row.from() == row.to() && row.actions().isEmpty() && row.refusal() == null;
    }

    private static Map<String, Collection<String>> arrows() {
        var arrows = new LinkedHashMap<String, Collection<String>>();
        for (var each : SessionTransitions.all()) {
            if (each.from() != each.to()) {
                arrows.computeIfAbsent(
                                each.from() + " --> " + each.to(), _ -> new LinkedHashSet<>())
                        .add(each.event().getSimpleName().toLowerCase(Locale.ROOT));
            }
        }
        return arrows;
    }

    private static String row(Transition row) {
        return "| %s | %s | %s | %s |\n"
                .formatted(
                        MEANINGS.get(row.event()),
                        row.guard().meaning(),
                        what(row),
                        name(row.to()));
    }

    private static String what(Transition row) {
        var refusal = row.refusal();
        return refusal == null
                ? row.actions().stream()
                        .map(SessionAction::meaning)
                        .collect(Collectors.joining(", "))
                : "refuses it as `" + refusal.error().name().toLowerCase(Locale.ROOT) + "`";
    }

    private static String name(SessionStage stage) {
        return stage.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
