package dev.perigee.testing.conformance;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reasons for client scenarios that do not pass, for readers of the page. */
final class Remarks {
    private static final Map<String, String> OPEN =
            Map.of(
                    "request-metadata",
                    "by decision, a server that is not known yet is sent `initialize` first, which"
                            + " belongs to the revisions before"
                            + " ([ADR 0040](../adr/0040-eras-and-catalogues.md)); all requests"
                            + " after it pass");

    private Remarks() {}

    /** The reason why this one is not run; null for one that is. */
    static @Nullable String notApplicable(ClientScenario scenario) {
        if (scenario.name().startsWith("auth/")) {
            return "OAuth is not there yet";
        }
        return scenario.name().startsWith("sep-2640-")
                ? "skills as resources, an extension, are not there"
                : null;
    }

    /** The reason why this one, which is run, does not pass; null where it has to pass. */
    static @Nullable String open(ClientScenario scenario) {
        return OPEN.get(scenario.name());
    }
}
