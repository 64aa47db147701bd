package dev.perigee.testing.conformance;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One of the suite's tests, of clients or of servers, at one revision of MCP.
 *
 * @param revision {@value #EXTENSION} for what is part of none
 */
record SuiteScenario(String name, String revision) implements Comparable<SuiteScenario> {
    /** The revision of what is optional. */
    static final String EXTENSION = "extension";

    private static final Pattern LISTED = Pattern.compile(" +- (\\S+) \\[(.+)]");

    /** Those in what the suite's {@code list} prints of one side, each at each of its revisions. */
    static List<SuiteScenario> listed(String printed) {
        return printed.lines()
                .map(LISTED::matcher)
                .filter(line -> line.matches())
                .flatMap(
                        line ->
                                Arrays.stream(line.group(2).split(","))
                                        .map(
                                                revision ->
                                                        new SuiteScenario(line.group(1), revision)))
                .sorted()
                .toList();
    }

    boolean isExtension() {
        return revision.equals(EXTENSION);
    }

    @Override
    public int compareTo(SuiteScenario other) {
        return Comparator.comparing(SuiteScenario::revision)
                .thenComparing(SuiteScenario::name)
                .compare(this, other);
    }

    @Override
    public String toString() {
        return name + " at " + revision;
    }
}
