package dev.perigee.testing.operate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What parts answered at {@code /metrics}, in Prometheus' text format.
 *
 * @param families by name, as TYPE lines have it
 */
record Scrape(Map<String, Family> families, List<Sample> samples) {
    private static final Pattern COMMENT = Pattern.compile("# (HELP|TYPE) (\\S+) ?(.*)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** A metric as the operator sees it. */
    record Family(String name, String type, String help) {}

    /** One series. */
    record Sample(String name, Map<String, String> labels, double value) {}

    static Scrape of(String text) {
        var helps = new TreeMap<String, String>();
        var families = new TreeMap<String, Family>();
        var samples = new ArrayList<Sample>();
        text.lines()
                .forEach(
                        line -> {
                            var comment = COMMENT.matcher(line);
                            if (!comment.matches()) {
                                samples.add(sample(line));
                            } else if (comment.group(1).equals("HELP")) {
                                helps.put(comment.group(2), comment.group(3).strip());
                            } else {
                                var name = comment.group(2);
                                var help = helps.getOrDefault(name, "");
                                families.put(name, new Family(name, comment.group(3), help));
                            }
                        });
        return new Scrape(families, List.copyOf(samples));
    }

    private static Sample sample(String line) {
        int value = line.lastIndexOf(' ');
        int brace = line.indexOf('{');
        var labels = new TreeMap<String, String>();
        if (brace >= 0) {
            var matcher = LABEL.matcher(line.substring(brace, value));
            while (matcher.find()) {
                labels.put(matcher.group(1), matcher.group(2));
            }
        }
        return new Sample(
                line.substring(0, brace >= 0 ? brace : value),
                labels,
                Double.parseDouble(line.substring(value + 1)));
    }

    /** Both together. */
    Scrape and(Scrape other) {
        var allFamilies = new TreeMap<>(families);
        allFamilies.putAll(other.families);
        var allSamples = new ArrayList<>(samples);
        allSamples.addAll(other.samples);
        return new Scrape(allFamilies, allSamples);
    }

    /** Names of the labels of a family, but for those that a histogram's buckets have. */
    TreeSet<String> labels(Family family) {
        var labels = new TreeSet<String>();
        for (var sample : samples) {
            if (belongs(sample.name(), family.name())) {
                labels.addAll(sample.labels().keySet());
            }
        }
        labels.remove("le");
        return labels;
    }

    private static boolean belongs(String sample, String family) {
        return sample.equals(family)
                || sample.equals(family + "_bucket")
                || sample.equals(family + "_sum")
                || sample.equals(family + "_count");
    }

    /** The sum of all series of a name that have these labels. */
    double sum(String name, Map<String, String> labels) {
        return samples.stream()
                .filter(it -> it.name().equals(name))
                .filter(it -> it.labels().entrySet().containsAll(labels.entrySet()))
                .mapToDouble(Sample::value)
                .sum();
    }
}
