package dev.perigee.testing.conformance;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reasons for scenarios that do not pass, for readers of the page. */
final class Remarks {
    private static final String SUBSCRIPTIONS =
            "changes of resources are on the topic `server-events`, and do not pass the door";
    private static final String ROOTS = "no server of a fleet is told of a client's folders";

    private static final String REGISTERS =
            "by decision, the fleet does not register itself at authorization servers"
                    + " ([ADR 0055](../adr/0055-tokens-belong-to-the-instance.md))";
    private static final String REGISTERED_BEFORE = REGISTERS + "; all else passes";

    private static final Map<String, String> OPEN =
            Map.of(
                    "request-metadata",
                    "by decision, a server that is not known yet is sent `initialize` first, which"
                            + " belongs to the revisions before"
                            + " ([ADR 0040](../adr/0040-eras-and-catalogues.md)); all requests"
                            + " after it pass",
                    "auth/metadata-default",
                    REGISTERED_BEFORE,
                    "auth/metadata-var1",
                    REGISTERED_BEFORE,
                    "auth/metadata-var2",
                    REGISTERED_BEFORE,
                    "auth/metadata-var3",
                    REGISTERED_BEFORE);

    private static final String GRANTS =
            "tokens are got by a user's authorization, and by no other grant";
    private static final String NO_DPOP = "tokens are bearer tokens, not bound to a key by DPoP";
    private static final String FIRST_REVISION =
            "a server has to say itself who authorizes its users, as all revisions since have it";

    private static final Map<String, String> LACKS =
            Map.of(
                    "auth/authorization-server-migration",
                    REGISTERS,
                    "auth/token-endpoint-auth-post",
                    "a client's secret is sent by HTTP Basic only",
                    "auth/2025-03-26-oauth-endpoint-fallback",
                    FIRST_REVISION,
                    "auth/2025-03-26-oauth-metadata-backcompat",
                    FIRST_REVISION,
                    "auth/client-credentials-basic",
                    GRANTS,
                    "auth/client-credentials-jwt",
                    GRANTS,
                    "auth/enterprise-managed-authorization",
                    GRANTS,
                    "auth/wif-jwt-bearer",
                    GRANTS,
                    "auth/dpop",
                    NO_DPOP,
                    "auth/dpop-nonce",
                    NO_DPOP);

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
        return scenario.name().startsWith("sep-2640-")
                ? "skills as resources, an extension, are not there"
                : LACKS.get(scenario.name());
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
