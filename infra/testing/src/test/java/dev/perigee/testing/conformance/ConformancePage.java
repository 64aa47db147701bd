package dev.perigee.testing.conformance;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The page of the documentation about the suite, made from a run. */
final class ConformancePage {
    private static final String CLIENTS =
            """

            ## As the client

            The suite starts a server, a program on the [TypeScript client](../../infra/clients/typescript/README.md) installs that server by topics, calls it through them, answers its
            questions and uninstalls it, and the suite checks what the worker sent. Answers to questions, defaults of forms among them, are that program's, as they are any backend's.
            In scenarios of authorization (`auth/`) the program is the user's browser, too: it follows the URL that comes as an event, and configures the server with what the redirect brings.
            Where a scenario has neither a client nor a metadata document, the program names one that somebody registered before; the suite takes any. More scopes are asked for, but not exchanged:
            the suite has the same code for each authorization, and a fleet sends none twice. `OAuthFleetTest` does that with another authorization server.
            """;

    private static final String SERVERS =
            """

            ## As the server, through a door

            The suite talks to [a door](../calls-that-talk.md#a-door-for-mcp-clients) at the URL of one server, behind which a fleet runs a fixture with what the scenarios ask for. That server is of
            the revision 2026-07-28 at all revisions of the client. A proxy adds the token, since the suite has none.
            """;

    private ConformancePage() {}

    /**
     * One side of the suite.
     *
     * @param all its scenarios
     * @param verdicts of all that were run
     * @param notApplicable the reason why one is not run, or null
     * @param open the reason why one does not pass, or null where it has to
     */
    record Side(
            List<SuiteScenario> all,
            Map<SuiteScenario, ScenarioVerdict> verdicts,
            Function<SuiteScenario, @Nullable String> notApplicable,
            Function<SuiteScenario, @Nullable String> open) {}

    /** The page. */
    static String of(String version, Side clients, Side servers) {
        return head(version) + part(CLIENTS, clients) + part(SERVERS, servers);
    }

    private static String head(String version) {
        return """
            # Conformance

            <!-- Made by ConformanceTest from a run of the suite. -->

            Scenarios of MCP's official suite, `@modelcontextprotocol/conformance` %s, with a fleet as the client of the suite's servers, and as the server of its clients.
            Each is run at each revision that the suite has it for. `ConformanceTest` fails where a run finds anything else than this page says, also where more passes.
            """
                .formatted(version);
    }

    private static String part(String text, Side side) {
        var part = new StringBuilder(text);
        part.append("\n").append(summary(side)).append("\n");
        side.all().stream()
                .collect(
                        Collectors.groupingBy(
                                SuiteScenario::revision,
                                () -> new TreeMap<>(Comparator.reverseOrder()),
                                Collectors.toList()))
                .forEach(
                        (revision, scenarios) ->
                                part.append(table(revision))
                                        .append(rows(scenarios, side))
                                        .append(others(scenarios, side)));
        return part.toString();
    }

    private static String table(String revision) {
        return """

            ### %s

            | scenario | result | checks passed |
            |---|---|---|
            """
                .formatted(
                        revision.equals(SuiteScenario.EXTENSION)
                                ? "Extensions"
                                : "Revision " + revision);
    }

    /** Numbers of runs, in a sentence that CI prints, too. */
    private static String summary(Side side) {
        long passing = side.verdicts().values().stream().filter(ScenarioVerdict::passes).count();
        return "Of %d runs that apply %d pass; %d do not apply."
                .formatted(
                        side.verdicts().size(),
                        passing,
                        side.all().size() - side.verdicts().size());
    }

    private static String rows(List<SuiteScenario> scenarios, Side side) {
        return scenarios.stream()
                .filter(side.verdicts()::containsKey)
                .map(
                        each ->
                                row(
                                        each,
                                        Objects.requireNonNull(side.verdicts().get(each)),
                                        side.open().apply(each)))
                .collect(Collectors.joining());
    }

    private static String row(
            SuiteScenario scenario, ScenarioVerdict verdict, @Nullable String open) {
        int passed = verdict.passed().size();
        return "| `%s` | %s | %d of %d |\n"
                .formatted(
                        scenario.name(),
                        verdict.passes()
                                ? "passes"
                                : "fails: %s (%s)".formatted(open, names(verdict.failed())),
                        passed,
                        passed + verdict.failed().size());
    }

    /** Those that do not apply, a row for each reason. */
    private static String others(List<SuiteScenario> scenarios, Side side) {
        var byReason = new TreeMap<String, List<String>>();
        for (var each : scenarios) {
            var reason = side.notApplicable().apply(each);
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
