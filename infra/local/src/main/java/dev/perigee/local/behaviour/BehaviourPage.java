package dev.perigee.local.behaviour;

import static dev.perigee.local.behaviour.Html.escaped;

import dev.perigee.local.recording.RecordingHeader;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The comparison as one page that needs nothing else: the worst first, pairs behind a click. */
public final class BehaviourPage {
    private static final int SHOWN_TIMES = 200;
    private static final String STYLE =
            """
            :root { color-scheme: light dark; --line: #8884; --bad: #c62828; --dim: #777; --good: #2e7d32; }
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
            h1 { font-size: 1.5rem; margin-bottom: .25rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
            .facts, small { color: var(--dim); } .bad { color: var(--bad); } .good { color: var(--good); }
            ul.head { font-size: 1.1rem; padding-left: 1.2rem; } ul.head li { overflow-wrap: anywhere; }
            details { border-bottom: 1px solid var(--line); padding: .35rem 0; }
            details details { margin-left: 1.2rem; }
            summary { cursor: pointer; overflow-wrap: anywhere; }
            .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
            pre { overflow: auto; max-height: 30rem; border: 1px solid var(--line); padding: .5rem; font-size: 13px;
                  white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0; }
            table { border-collapse: collapse; width: 100%; font-size: 14px; }
            th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top;
                     overflow-wrap: anywhere; }
            @media (max-width: 50rem) { .pair { grid-template-columns: 1fr; } }
            """;

    private final StringBuilder page = new StringBuilder();

    private BehaviourPage() {}

    /** The page. */
    public static String of(Behaviour behaviour) {
        var made = new BehaviourPage();
        made.head(behaviour);
        Kind last = null;
        for (var row : behaviour.rows()) {
            if (row.kind() != last) {
                made.kind(row.kind(), behaviour.totals().getOrDefault(row.kind(), 0L));
                last = row.kind();
            }
            made.row(row);
        }
        made.times(behaviour.times());
        made.page.append("</main></body></html>\n");
        return made.page.toString();
    }

    private void head(Behaviour behaviour) {
        page.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width\">")
                .append("<meta http-equiv=\"Content-Security-Policy\"")
                .append(" content=\"default-src 'none'; style-src 'unsafe-inline'\">")
                .append("<title>Behaviour compared</title><style>")
                .append(STYLE)
                .append("</style></head><body><main><h1 class=\"")
                .append(
                        behaviour.isWell()
                                ? "good\">Nothing that matters differs"
                                : "bad\">Behaviour differs")
                .append("</h1><p class=\"facts\">")
                .append(behaviour.compared())
                .append(" calls and commands compared, ")
                .append(behaviour.same())
                .append(" the same.<br>First: ")
                .append(side(behaviour.before()))
                .append("<br>Second: ")
                .append(side(behaviour.after()))
                .append("</p><ul class=\"head\">");
        behaviour
                .headlines()
                .forEach(line -> page.append("<li>").append(escaped(line)).append("</li>"));
        behaviour
                .skipped()
                .forEach(
                        (what, count) ->
                                page.append("<li>Not compared, unknown to this version: ")
                                        .append(count)
                                        .append(" x ")
                                        .append(escaped(what))
                                        .append("</li>"));
        page.append("</ul>");
    }

    private static String side(RecordingHeader header) {
        return escaped(
                header.source()
                        + ", "
                        + (header.since() == null ? "all" : header.since())
                        + " until "
                        + header.until()
                        + ", Perigee "
                        + header.perigee());
    }

    private void kind(Kind kind, long total) {
        page.append("<h2 class=\"")
                .append(kind.fails() ? "bad" : "facts")
                .append("\">")
                .append(total)
                .append(" ")
                .append(escaped(kind.words()))
                .append("</h2>");
    }

    private void row(Behaviour.Row row) {
        page.append("<details><summary><b>")
                .append(row.count())
                .append("</b> ")
                .append(escaped(row.what()))
                .append(" <small>")
                .append(escaped(row.signature()))
                .append("</small></summary>");
        row.examples().forEach(this::example);
        if (row.count() > row.examples().size()) {
            page.append("<p class=\"facts\">and ")
                    .append(row.count() - row.examples().size())
                    .append(" more like these</p>");
        }
        page.append("</details>");
    }

    private void example(Example example) {
        page.append("<details><summary>")
                .append(escaped(example.about()))
                .append(" <small>")
                .append(escaped(example.key()));
        if (example.at() > 0) {
            page.append(" ").append(Instant.ofEpochMilli(example.at()));
        }
        page.append("</small></summary>");
        if (example.arguments() != null) {
            page.append("<small>asked with</small>");
            block(example.arguments());
        }
        if (!example.changes().isEmpty()) {
            page.append("<table><tr><th>place</th><th>first</th><th>second</th></tr>");
            for (var change : example.changes()) {
                page.append("<tr><td>").append(escaped(change.toString())).append("</td>");
                cell(change.before());
                cell(change.after());
                page.append("</tr>");
            }
            page.append("</table>");
        }
        page.append("<div class=\"pair\"><div><small>first</small>");
        block(example.before());
        page.append("</div><div><small>second</small>");
        block(example.after());
        page.append("</div></div></details>");
    }

    private void block(@Nullable String text) {
        page.append("<pre>").append(text == null ? "(nothing)" : escaped(text)).append("</pre>");
    }

    private void cell(@Nullable String text) {
        page.append("<td>").append(text == null ? "" : escaped(text)).append("</td>");
    }

    private void times(List<ToolTime> times) {
        if (times.isEmpty()) {
            return;
        }
        page.append("<h2>How long calls took</h2><p class=\"facts\">Milliseconds, exact to 10 %;")
                .append(" the slowest by the second recording first.</p><table><tr><th>tool</th>")
                .append(
                        "<th>calls</th><th>p50</th><th>p50 now</th><th>p99</th><th>p99 now</th></tr>");
        times.stream()
                .sorted(
                        Comparator.comparingDouble(
                                time -> -(double) time.p99After() / Math.max(1, time.p99Before())))
                .limit(SHOWN_TIMES)
                .forEach(this::time);
        page.append("</table>");
    }

    private void time(ToolTime time) {
        page.append("<tr><td>").append(escaped(time.tool())).append("</td>");
        for (long number :
                new long[] {
                    time.calls(),
                    time.p50Before(),
                    time.p50After(),
                    time.p99Before(),
                    time.p99After()
                }) {
            page.append("<td>").append(number).append("</td>");
        }
        page.append("</tr>");
    }
}
