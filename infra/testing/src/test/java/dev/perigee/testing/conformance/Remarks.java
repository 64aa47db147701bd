package dev.perigee.testing.conformance;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reasons for scenarios that do not pass, for readers of the page. */
final class Remarks {
    private static final String SUBSCRIPTIONS =
            "changes of resources are on the topic `server-events`, and do not pass the door";
    private static final String ROOTS = "no server of a fleet is told of a client's folders";

    private static final Map<String, String> OPEN =
            Map.of(
                    "request-metadata",
                    "by decision, a server that is not known yet is sent `initialize` first, which"
                            + " belongs to the revisions before"
                            + " ([ADR 0040](../adr/0040-eras-and-catalogues.md)); all requests"
                            + " after it pass");

    private static final Map<String, String> DOOR_LACKS =
            Map.of(
                    "resources-subscribe",
                    SUBSCRIPTIONS,
                    "resources-unsubscribe",
                    SUBSCRIPTIONS,
                    "server-sse-polling",
                    "streams of the door are not resumed: the worker resumes those of servers,"
                            + " which `sse-retry` checks",
                    "input-required-result-basic-list-roots",
                    ROOTS,
                    "input-required-result-multiple-input-requests",
                    ROOTS);

    private static final Map<String, String> DOOR_OPEN =
            Map.of(
                    "input-required-result-ignore-extra-params",
                    "it answers what it was not asked: the door takes responses to a question of its"
                            + " own only, by its `requestState`");

    private Remarks() {}

    /** The reason why this one is not run; null for one that is. */
    static @Nullable String notApplicable(SuiteScenario scenario) {
        if (scenario.name().startsWith("auth/")) {
            return "the program that stands for the backend follows no authorization yet";
        }
        return scenario.name().startsWith("sep-2640-")
                ? "skills as resources, an extension, are not there"
                : null;
    }

    /** The reason why this one, which is run, does not pass; null where it has to pass. */
    static @Nullable String open(SuiteScenario scenario) {
        return OPEN.get(scenario.name());
    }

    /** The reason why this one of servers is not run; null for one that is. */
    static @Nullable String notApplicableToDoor(SuiteScenario scenario) {
        if (scenario.name().startsWith("tasks-")) {
            return "the door has no tasks";
        }
        return scenario.name().startsWith("sep-2640-")
                ? "skills as resources, an extension, are not there"
                : DOOR_LACKS.get(scenario.name());
    }

    /** The reason why this one of servers, which is run, does not pass; null where it has to. */
    static @Nullable String openAtDoor(SuiteScenario scenario) {
        return DOOR_OPEN.get(scenario.name());
    }
}
