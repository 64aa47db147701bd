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

            A request is one record of `tool-requests`, and gets one answer. Here is every step between the two, as the owner of its partition
            takes it; owner, session and journal are [concepts](../concepts.md). The state is one owner's: after a rebalance the new owner reads
            every request whose offset is not committed, and begins at *arrived*. Of several rows for one event the first whose condition holds
            counts. What is not here cannot happen, or changes nothing.

            An answer of the gateway itself has the error code that is named. After a possible run in a session that is gone a tool call gets
            `outcome_unknown` in its place, except `timeout`, and `input_timeout` and `cancelled` while its question is open; other methods get `worker_lost`
            in place of `unavailable` where the partition has no worker. A request that may have run is sent to one more worker, which knows that by the link's `may_have_run`. That worker runs a tool again only where the tool declares
            itself read-only or idempotent, and refuses it otherwise ([decision](../adr/0010-what-may-have-run.md)).

            **A call whose worker dies** was *accepted*. While its gateway dials the worker nothing changes. Then comes `session gone`: after 5 s where
            the worker's host refuses connections, at once where another process answers there, else after 25 s. The call is *queued*, as one that may
            have run, until the partition has its next worker ([times](../guarantees.md#times-after-the-loss-of-a-worker)), and *sending* at its `turn`. That worker
            runs a read-only or idempotent tool (`taken`, then `result`). It refuses any other (`turned down`, or `taken` and a `result` once it
            knows the tools), and the answer is `outcome_unknown`. Its deadline may end it first: with `timeout` 10 s later (`request.silence-margin`)
            while it is *accepted*, with `outcome_unknown` at once when it is *queued*.

            **A call whose link is cut** runs on. Its gateway dials the worker for 25 s, and the call stays *accepted*: after the next attach its
            result comes through the journal. Where another gateway hears the worker, the partition moves to that one within 10 s. Where none does it
            goes as with a worker that dies, and the worker, cut off, ends its processes after 30 s.

            **A call whose server's question is open** (of the revision 2026-07-28) is nowhere under way. When its session is gone it is *queued* with the
            question, its run not counted, and the next worker has the question open again ([decision](../adr/0048-questions-that-outlive-their-worker.md)).
            One to which a response was sent ends with `outcome_unknown`. So does one that the next worker refuses, or is too old for; a question
            that expires on the way ends it with `input_timeout`.

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
        return "| `%s`: %s | %s | %s | %s |\n"
                .formatted(
                        name(row.event()),
                        row.event().meaning(),
                        row.guard().meaning(),
                        action(row),
                        name(row.to()));
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
