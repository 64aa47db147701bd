package dev.perigee.testing.conformance;

import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The page of the documentation about the suite, made from a run. */
final class ConformancePage {
    private ConformancePage() {}

    /**
     * The page.
     *
     * @param verdicts of those that apply; of the others it has the expectation only
     */
    static String of(
            String version,
            SortedMap<ClientScenario, Expectation> all,
            Map<ClientScenario, Verdict> verdicts) {
        var page = new StringBuilder(head(version));
        page.append("\n").append(summary(all)).append("\n");
        var byRevision =
                all.keySet().stream()
                        .collect(
                                Collectors.groupingBy(
                                        ClientScenario::revision,
                                        TreeMap::new,
                                        Collectors.toList()));
        byRevision.forEach(
                (revision, scenarios) -> {
                    page.append(table(heading(revision)));
                    for (var each : scenarios) {
                        page.append(
                                row(
                                        each,
                                        Objects.requireNonNull(all.get(each)),
                                        verdicts.get(each)));
                    }
                });
        return page.toString();
    }

    private static String head(String version) {
        return """
            # Conformance

            <!-- Made from a run of the suite by ConformanceTest. -->

            Client scenarios of MCP's official suite, `@modelcontextprotocol/conformance` %s, with a fleet as the client: the suite starts a server, a program on the
            [TypeScript client](../../infra/clients/typescript/README.md) installs that server by topics, calls it through them and uninstalls it, and the suite checks what the worker sent.
            Answers to questions, defaults of forms among them, are that program's, as they are any backend's.

            A scenario runs at each revision that the suite has it for. `ConformanceTest` fails where one does other than this page says, also where more passes.
            """
                .formatted(version);
    }

    private static String table(String title) {
        return """

            ## %s

            | scenario | result | checks |
            |---|---|---|
            """
                .formatted(title);
    }

    private static String heading(String revision) {
        return revision.equals(ClientScenario.EXTENSION) ? "Extensions" : "Revision " + revision;
    }

    /** How many pass, in a sentence that CI prints, too. */
    static String summary(Map<ClientScenario, Expectation> all) {
        long passing = count(all, Expectation.Passes.class);
        return "%d of %d runs pass, %d fail in part, %d are of what is not supported."
                .formatted(
                        passing,
                        all.size(),
                        count(all, Expectation.Fails.class),
                        count(all, Expectation.Unsupported.class));
    }

    private static long count(
            Map<ClientScenario, Expectation> all, Class<? extends Expectation> kind) {
        return all.values().stream().filter(kind::isInstance).count();
    }

    private static String row(
            ClientScenario scenario, Expectation expected, @Nullable Verdict verdict) {
        var result =
                switch (expected) {
                    case Expectation.Passes _ -> "passes";
                    case Expectation.Fails(_, var why) -> "fails in part: " + why;
                    case Expectation.Unsupported(var why) -> "not supported: " + why;
                };
        var checks =
                verdict == null
                        ? ""
                        : "%d of %d"
                                .formatted(
                                        verdict.passed().size(),
                                        verdict.passed().size() + verdict.failed().size());
        return "| `%s` | %s | %s |\n".formatted(scenario.name(), result, checks);
    }
}
