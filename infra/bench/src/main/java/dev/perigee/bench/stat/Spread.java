package dev.perigee.bench.stat;

import java.util.List;
import java.util.Locale;

/** The median of several rounds, and the lowest and highest of them. */
public record Spread(double median, double min, double max) {

    /**
     * The spread of at least one value.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Spread of(List<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("No round, no spread");
        }
        var sorted = values.stream().sorted().toList();
        int half = sorted.size() / 2;
        double median =
                sorted.size() % 2 == 1
                        ? sorted.get(half)
                        : (sorted.get(half - 1) + sorted.get(half)) / 2;
        return new Spread(median, sorted.getFirst(), sorted.getLast());
    }

    /** Median and spread with so many digits, such as {@code 1.27 (1.20..1.41)}. */
    public String text(int digits) {
        var number = "%." + digits + "f";
        return min == max
                ? String.format(Locale.ROOT, number, median)
                : String.format(
                        Locale.ROOT,
                        number + " (" + number + ".." + number + ")",
                        median,
                        min,
                        max);
    }
}
