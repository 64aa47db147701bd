package dev.perigee.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Lines of cells in columns: the first to the left, the others to the right. */
public final class TextTable {
    private static final Pattern BLANK_ENDS = Pattern.compile(" +$", Pattern.MULTILINE);

    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... headers) {
        rows.add(List.of(headers));
    }

    /** Adds a line of as many cells as there are headers. */
    public void row(List<String> cells) {
        if (cells.size() != rows.getFirst().size()) {
            throw new IllegalArgumentException("Cells: " + cells);
        }
        rows.add(List.copyOf(cells));
    }

    /** The lines, each ended by a line feed. */
    public String text() {
        var widths = new int[rows.getFirst().size()];
        for (var row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        var text = new StringBuilder();
        for (var row : rows) {
            for (int column = 0; column < widths.length; column++) {
                var cell = row.get(column);
                var blank = " ".repeat(widths[column] - cell.length());
                text.append(column == 0 ? cell + blank : "  " + blank + cell);
            }
            text.append('\n');
        }
        return BLANK_ENDS.matcher(text).replaceAll("");
    }
}
