package dev.perigee.local.cli;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/** Prints answers: lines, tables or JSON, in colour where the terminal takes it. */
final class Output {
    private final PrintWriter out;
    private final Ansi ansi;
    private final OutputFormat format;

    Output(CommandSpec spec, OutputFormat format) {
        this.out = spec.commandLine().getOut();
        this.ansi = spec.commandLine().getColorScheme().ansi();
        this.format = format;
    }

    boolean isJson() {
        return format == OutputFormat.JSON;
    }

    /** A line of plain text, shown as it is. */
    void line(String text) {
        out.println(text);
        out.flush();
    }

    /** One JSON document on one line. */
    void json(Object value) {
        line(Json.raw(value).onOneLine().text());
    }

    /** One JSON document that somebody else wrote, on one line. */
    void raw(byte[] utf8) {
        line(RawJson.ofBytes(utf8).onOneLine().text());
    }

    void table(List<String> headers, List<List<String>> rows) {
        var widths = new int[headers.size()];
        for (var column = 0; column < widths.length; column++) {
            widths[column] = headers.get(column).length();
            for (var row : rows) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        line(style("bold", aligned(headers, widths)));
        rows.forEach(row -> line(aligned(row, widths)));
    }

    /** The text in one of picocli's styles, such as bold or fg(green), where there are colours. */
    String style(String style, String text) {
        if (!ansi.enabled()) {
            return text;
        }
        // The off code of bold means a double underline to many terminals, so all is reset.
        return Ansi.Style.on(Ansi.Style.parse(style)) + text + Ansi.Style.reset.on();
    }

    private static String aligned(List<String> cells, int[] widths) {
        var line = new StringBuilder();
        for (var column = 0; column < widths.length; column++) {
            line.append(cells.get(column));
            if (column < widths.length - 1) {
                line.append(" ".repeat(widths[column] - cells.get(column).length() + 2));
            }
        }
        return line.toString().stripTrailing();
    }
}
