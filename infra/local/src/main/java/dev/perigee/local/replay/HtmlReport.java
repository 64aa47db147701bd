package dev.perigee.local.replay;

import static dev.perigee.local.behaviour.Html.escaped;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The comparison as a page of its own: one file that needs nothing else. */
public final class HtmlReport {
    private static final String STYLE =
            """
            :root { color-scheme: light dark; --line: #8884; --bad: #c62828; --dim: #777; --good: #2e7d32; }
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
            h1 { font-size: 1.5rem; margin-bottom: .25rem; }
            .facts { color: var(--dim); margin-top: 0; }
            .cards { display: flex; flex-wrap: wrap; gap: .75rem; list-style: none; padding: 0; }
            .cards li { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; }
            .cards b { display: block; font-size: 1.5rem; }
            .bad b, td.bad { color: var(--bad); } .good b { color: var(--good); }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; width: 100%; font-size: 14px; }
            th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
            th { position: sticky; top: 0; background: Canvas; }
            tr.differs td:first-child { border-left: 4px solid var(--bad); }
            small { color: var(--dim); display: block; overflow-wrap: anywhere; }
            code { font-size: 13px; overflow-wrap: anywhere; }
            """;

    private final StringBuilder page = new StringBuilder();

    private HtmlReport() {}

    /** The page. */
    public static String of(ReplayResult result, Comparison comparison) {
        var report = new HtmlReport();
        report.head(result);
        report.totals(comparison);
        report.rows(comparison);
        report.counts("Sent", result.counts().sent());
        var refused = new TreeMap<String, Long>();
        for (var reason : Refusal.values()) {
            var count = result.counts().refused().get(reason.code());
            if (count != null) {
                refused.put(reason.code() + ": " + reason.explanation(), count);
            }
        }
        report.counts("Refused", refused);
        report.page.append("</body></html>\n");
        return report.page.toString();
    }

    private void head(ReplayResult result) {
        var plan = result.plan();
        page.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width\">")
                .append("<title>Replay ")
                .append(escaped(plan.run()))
                .append("</title><style>")
                .append(STYLE)
                .append("</style></head><body><h1>Replay ")
                .append(escaped(plan.run()))
                .append("</h1><p class=\"facts\">begun ")
                .append(plan.startedAt())
                .append(", source ")
                .append(escaped(plan.source()))
                .append(", ")
                .append(result.counts().totalSent())
                .append(" records sent, ")
                .append(result.counts().totalRefused())
                .append(" refused, ")
                .append(result.counts().notWanted())
                .append(" not selected; ")
                .append(result.sourcePartitions())
                .append(" partitions to ")
                .append(result.targetPartitions())
                .append("</p>");
    }

    private void totals(Comparison comparison) {
        page.append("<ul class=\"cards\">");
        comparison
                .totals()
                .forEach(
                        (difference, count) -> {
                            var style =
                                    difference.counts()
                                            ? "bad"
                                            : difference == Difference.NONE ? "good" : "";
                            page.append("<li class=\"")
                                    .append(style)
                                    .append("\"><b>")
                                    .append(count)
                                    .append("</b>")
                                    .append(escaped(difference.explanation()))
                                    .append("</li>");
                        });
        page.append("</ul>");
        if (comparison.left() > 0) {
            page.append("<p>")
                    .append(comparison.left())
                    .append(" more were sent and not compared.</p>");
        }
    }

    private void rows(Comparison comparison) {
        page.append("<div class=\"scroll\"><table><thead><tr>");
        for (var title :
                new String[] {
                    "Difference", "Command", "Process", "In production", "In staging", "Original"
                }) {
            page.append("<th scope=\"col\">").append(title).append("</th>");
        }
        page.append("</tr></thead><tbody>");
        comparison.rows().forEach(this::row);
        page.append("</tbody></table></div>");
    }

    private void row(Comparison.Row row) {
        boolean differs = row.difference().counts();
        page.append(differs ? "<tr class=\"differs\">" : "<tr>");
        cell(differs, row.difference().explanation(), null);
        cell(false, row.what(), row.key());
        cell(false, row.processId() == null ? "" : row.processId(), null);
        fate(false, row.production());
        fate(differs, row.staging());
        page.append("<td><code>")
                .append(escaped(row.originalId()))
                .append("</code><small>")
                .append(row.at())
                .append(" ")
                .append(escaped(row.origin()))
                .append("</small></td></tr>");
    }

    private void fate(boolean differs, Fate fate) {
        var last = fate.finalStatus() == null ? "" : "in the end " + fate.finalStatus();
        var remark = fate.remark() == null ? "" : fate.remark();
        cell(
                differs,
                fate.inWords(),
                last.isEmpty() || remark.isEmpty() ? last + remark : last + ". " + remark);
    }

    private void cell(boolean differs, String text, @Nullable String more) {
        page.append(differs ? "<td class=\"bad\">" : "<td>").append(escaped(text));
        if (more != null && !more.isEmpty()) {
            page.append("<small>").append(escaped(more)).append("</small>");
        }
        page.append("</td>");
    }

    private void counts(String title, Map<String, Long> counts) {
        if (counts.isEmpty()) {
            return;
        }
        page.append("<h2>").append(title).append("</h2><table><tbody>");
        counts.forEach(
                (name, count) ->
                        page.append("<tr><td>")
                                .append(escaped(name))
                                .append("</td><td>")
                                .append(count)
                                .append("</td></tr>"));
        page.append("</tbody></table>");
    }
}
