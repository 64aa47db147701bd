package dev.perigee.part;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** Prints answers: lines, tables or JSON. Whatever they hold passes the {@link Printer}. */
public final class Output {
    /** A column is no wider for what is longer: only its own row is out of line. */
    private static final int WIDEST = 64;

    /** Characters of a cell, but for the last of a row; JSON has all of them. */
    private static final int LONGEST = 256;

    private final Printer out;
    private final OutputFormat format;

    public Output(CommandSpec spec, OutputFormat format) {
        this.out = Printer.out(spec);
        this.format = format;
    }

    public boolean isJson() {
        return format == OutputFormat.JSON;
    }

    /** One line of text. */
    public void line(String text) {
        out.line(text);
    }

    /** One line of text, parts of it in a style. */
    public void line(Span... spans) {
        out.line(spans);
    }

    /** A text that may have several lines. */
    public void block(String text) {
        out.block(text);
    }

    /** One JSON document on one line. */
    public void json(Object value) {
        out.json(Json.raw(value).text());
    }

    /** One JSON document that somebody else wrote, on one line. */
    public void raw(byte[] utf8) {
        out.json(RawJson.ofBytes(utf8).text());
    }

    /** Aligned columns. */
    public void table(List<String> headers, List<List<String>> rows) {
        var shown = rows.stream().map(Output::cells).toList();
        var widths = new int[headers.size()];
        for (var column = 0; column < widths.length; column++) {
            widths[column] = headers.get(column).length();
            for (var row : shown) {
                int length = Math.min(row.get(column).length(), WIDEST);
                widths[column] = Math.max(widths[column], length);
            }
        }
        line(new Span("bold", aligned(headers, widths)));
        shown.forEach(row -> line(aligned(row, widths)));
    }

    private static List<String> cells(List<String> row) {
        var cells = new ArrayList<>(row.stream().map(VisibleText::line).toList());
        for (var column = 0; column < cells.size() - 1; column++) {
            var cell = cells.get(column);
            if (cell.length() > LONGEST) {
                int end = cell.offsetByCodePoints(0, cell.codePointCount(0, LONGEST) - 1);
                cells.set(column, cell.substring(0, end) + "…");
            }
        }
        return cells;
    }

    private static String aligned(List<String> cells, int[] widths) {
        var line = new StringBuilder();
        for (var column = 0; column < widths.length; column++) {
            line.append(cells.get(column));
            if (column < widths.length - 1) {
                int missing = Math.max(0, widths[column] - cells.get(column).length());
                line.append(" ".repeat(missing + 2));
            }
        }
        return line.toString().stripTrailing();
    }
}
