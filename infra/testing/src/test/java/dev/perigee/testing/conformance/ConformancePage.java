package dev.perigee.testing.conformance;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The page of the documentation about the suite, made from a run. */
final class ConformancePage {
    private ConformancePage() {}

    /**
     * The page.
     *
     * @param verdicts of all that were run
     */
    static String of(
            String version, List<ClientScenario> all, Map<ClientScenario, Verdict> verdicts) {
        var page = new StringBuilder(head(version));
        page.append("\n").append(summary(all, verdicts)).append("\n");
        all.stream()
                .collect(
                        Collectors.groupingBy(
                                ClientScenario::revision,
                                () -> new TreeMap<>(Comparator.reverseOrder()),
                                Collectors.toList()))
                .forEach(
                        (revision, scenarios) ->
                                page.append(table(revision))
                                        .append(rows(scenarios, verdicts))
                                        .append(others(scenarios)));
        return page.toString();
    }

    private static String head(String version) {
        return """
            # Conformance

            <!-- Made by ConformanceTest from a run of the suite. -->

            Client scenarios of MCP's official suite, `@modelcontextprotocol/conformance` %s, with a fleet as the client: the suite starts a server, a program on the
            [TypeScript client](../../infra/clients/typescript/README.md) installs that server by topics, calls it through them, answers its questions and uninstalls it, and the suite checks
            what the worker sent. Answers to questions, defaults of forms among them, are that program's, as they are any backend's.

            A scenario is run at each revision that the suite has it for. `ConformanceTest` fails where a run finds anything else than this page says, also where more passes.
            """
                .formatted(version);
    }

    private static String table(String revision) {
        return """

            ## %s

            | scenario | result | checks passed |
            |---|---|---|
            """
                .formatted(
                        revision.equals(ClientScenario.EXTENSION)
                                ? "Extensions"
                                : "Revision " + revision);
    }

    /** Numbers of runs, in a sentence that CI prints, too. */
    static String summary(List<ClientScenario> all, Map<ClientScenario, Verdict> verdicts) {
        long passing = verdicts.values().stream().filter(Verdict::passes).count();
        return "Of %d runs that apply %d pass; %d do not apply."
                .formatted(verdicts.size(), passing, all.size() - verdicts.size());
    }

    private static String rows(
            List<ClientScenario> scenarios, Map<ClientScenario, Verdict> verdicts) {
        return scenarios.stream()
                .filter(verdicts::containsKey)
                .map(each -> row(each, Objects.requireNonNull(verdicts.get(each))))
                .collect(Collectors.joining());
    }

    private static String row(ClientScenario scenario, Verdict verdict) {
        int passed = verdict.passed().size();
        return "| `%s` | %s | %d of %d |\n"
                .formatted(
                        scenario.name(),
                        verdict.passes()
                                ? "passes"
                                : "fails: %s (%s)"
                                        .formatted(Remarks.open(scenario), names(verdict.failed())),
                        passed,
                        passed + verdict.failed().size());
    }

    /** Those that do not apply, a row for each reason. */
    private static String others(List<ClientScenario> scenarios) {
        var byReason = new TreeMap<String, List<String>>();
        for (var each : scenarios) {
            var reason = Remarks.notApplicable(each);
            if (reason != null) {
                byReason.computeIfAbsent(reason, _ -> new ArrayList<>()).add(each.name());
            }
        }
        return byReason.entrySet().stream()
                .map(
                        each ->
                                "| %s | not applicable: %s | |\n"
                                        .formatted(names(each.getValue()), each.getKey()))
                .collect(Collectors.joining());
    }

    private static String names(Collection<String> names) {
        return names.stream().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
    }
}
