package dev.perigee.testing.conformance;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One of the suite's tests of clients, at one revision of MCP.
 *
 * @param revision {@value #EXTENSION} for what is part of none
 */
record ClientScenario(String name, String revision) implements Comparable<ClientScenario> {
    /** The revision of what is optional. */
    static final String EXTENSION = "extension";

    private static final Pattern LISTED = Pattern.compile(" +- (\\S+) \\[(.+)]");

    /** Those in what the suite's {@code list --client} prints, each at each of its revisions. */
    static List<ClientScenario> listed(String printed) {
        return printed.lines()
                .map(LISTED::matcher)
                .filter(line -> line.matches())
                .flatMap(
                        line ->
                                Arrays.stream(line.group(2).split(","))
                                        .map(
                                                revision ->
                                                        new ClientScenario(
                                                                line.group(1), revision)))
                .sorted()
                .toList();
    }

    boolean isExtension() {
        return revision.equals(EXTENSION);
    }

    @Override
    public int compareTo(ClientScenario other) {
        return Comparator.comparing(ClientScenario::revision)
                .thenComparing(ClientScenario::name)
                .compare(this, other);
    }

    @Override
    public String toString() {
        return name + " at " + revision;
    }
}
