package dev.perigee.bench.report;

import dev.perigee.bench.stat.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws charts as one SVG: logarithmic upwards, medians joined, spreads as bars. Pure. */
public final class Plot {
    private static final int WIDTH = 460;
    private static final int HEIGHT = 300;
    private static final int LEFT = 64;
    private static final int RIGHT = 16;
    private static final int TOP = 40;
    private static final int BOTTOM = 64;
    private static final int COLUMNS = 2;
    private static final List<String> COLORS =
            List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9");

    private final StringBuilder svg = new StringBuilder();

    private Plot() {}

    /** The picture of all charts, two beside each other. */
    public static String svg(List<Chart> charts) {
        var plot = new Plot();
        int rows = (charts.size() + COLUMNS - 1) / COLUMNS;
        plot.add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %s %s\""
                                .formatted(COLUMNS * WIDTH, rows * HEIGHT)
                        + " font-family=\"sans-serif\" font-size=\"11\">");
        plot.add("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
        for (int i = 0; i < charts.size(); i++) {
            plot.add(
                    "<g transform=\"translate(%s %s)\">"
                            .formatted(i % COLUMNS * WIDTH, i / COLUMNS * HEIGHT));
            plot.chart(charts.get(i));
            plot.add("</g>");
        }
        plot.add("</svg>");
        return plot.svg.toString();
    }

    private void chart(Chart chart) {
        var scale = Scale.of(chart.lines().values().stream().flatMap(List::stream).toList());
        text(LEFT, 20, "start", "bold", chart.title());
        for (double tick : scale.ticks()) {
            double y = scale.y(tick);
            stroke(LEFT, y, WIDTH - RIGHT, y, "#ddd");
            text(LEFT - 6, y + 4, "end", "normal", label(tick));
        }
        for (int i = 0; i < chart.places().size(); i++) {
            double x = x(i, chart.places().size());
            text(x, HEIGHT - BOTTOM + 16, "middle", "normal", chart.places().get(i));
        }
        int number = 0;
        int legend = LEFT;
        for (var line : chart.lines().entrySet()) {
            var color = COLORS.get(number++ % COLORS.size());
            line(line.getValue(), scale, color);
            add(
                    "<rect x=\"%s\" y=\"%s\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                            .formatted(legend, HEIGHT - 30, color));
            text(legend + 14, HEIGHT - 21, "start", "normal", line.getKey());
            legend += 24 + 6 * line.getKey().length();
        }
    }

    private void line(List<Spread> points, Scale scale, String color) {
        var path = new ArrayList<String>();
        for (int i = 0; i < points.size(); i++) {
            double x = x(i, points.size());
            var point = points.get(i);
            double y = scale.y(point.median());
            path.add(n(x) + "," + n(y));
            stroke(x, scale.y(point.min()), x, scale.y(point.max()), color);
            add("<circle cx=\"%s\" cy=\"%s\" r=\"3\" fill=\"%s\"/>".formatted(n(x), n(y), color));
        }
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>"
                        .formatted(String.join(" ", path), color));
    }

    private void stroke(double fromX, double fromY, double toX, double toY, String color) {
        add(
                "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\"/>"
                        .formatted(n(fromX), n(fromY), n(toX), n(toY), color));
    }

    private static double x(int place, int places) {
        double room = WIDTH - LEFT - RIGHT;
        return LEFT + room * (place + 0.5) / places;
    }

    private void text(double x, double y, String anchor, String weight, String text) {
        add(
                "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" font-weight=\"%s\">%s</text>"
                        .formatted(
                                n(x),
                                n(y),
                                anchor,
                                weight,
                                text.replace("&", "&amp;").replace("<", "&lt;")));
    }

    private static String label(double value) {
        return value >= 1000
                ? String.format(Locale.ROOT, "%.0fk", value / 1000)
                : String.format(Locale.ROOT, value >= 1 ? "%.0f" : "%s", value);
    }

    private void add(String element) {
        svg.append(element).append('\n');
    }

    /** A number as SVG has it. */
    private static String n(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** From the power of ten below all values to the one above. */
    private record Scale(int from, int to) {
        static Scale of(List<Spread> points) {
            double min = points.stream().mapToDouble(Spread::min).min().orElse(1);
            double max = points.stream().mapToDouble(Spread::max).max().orElse(1);
            int from = (int) Math.floor(Math.log10(Math.max(1e-3, min)));
            int to = (int) Math.ceil(Math.log10(Math.max(1e-3, max)));
            return new Scale(from, Math.max(from + 1, to));
        }

        List<Double> ticks() {
            var ticks = new ArrayList<Double>();
            for (int power = from; power <= to; power++) {
                ticks.add(Math.pow(10, power));
            }
            return ticks;
        }

        double y(double value) {
            double share = (Math.log10(Math.max(1e-3, value)) - from) / (to - from);
            return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
        }
    }
}
