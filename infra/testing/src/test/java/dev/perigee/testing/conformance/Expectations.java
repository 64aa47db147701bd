package dev.perigee.testing.conformance;

import java.util.Map;
import java.util.Set;

/** What is said of each client scenario, until a run says otherwise. */
final class Expectations {
    private static final Expectation PASSES = new Expectation.Passes();

    private static final Expectation OAUTH =
            new Expectation.Unsupported(
                    "OAuth: workers send the credentials of the configuration, and ask for none");

    private static final Expectation SKILLS =
            new Expectation.Unsupported("an extension: skills as resources");

    private static final Expectation FIRST_REQUEST =
            new Expectation.Fails(
                    Set.of(
                            "sep-2575-client-populates-meta",
                            "sep-2575-client-sends-client-info",
                            "sep-2575-http-client-sends-version-header"),
                    "a server that is not known yet is asked `initialize` first, which is of the"
                            + " revisions before ([ADR 0040](../adr/0040-eras-and-catalogues.md));"
                            + " all requests after that pass");

    private static final Expectation QUESTIONS =
            new Expectation.Unsupported("questions as results (`input_required`)");

    private static final Map<String, Expectation> OTHERS =
            Map.of("request-metadata", FIRST_REQUEST, "sep-2322-client-request-state", QUESTIONS);

    private Expectations() {}

    /** Of one, at whatever revision; what nobody thought of has to pass. */
    static Expectation of(ClientScenario scenario) {
        if (scenario.name().startsWith("auth/")) {
            return OAUTH;
        }
        return scenario.name().startsWith("sep-2640-")
                ? SKILLS
                : OTHERS.getOrDefault(scenario.name(), PASSES);
    }
}
