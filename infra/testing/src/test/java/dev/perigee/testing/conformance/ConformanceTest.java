package dev.perigee.testing.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.fleet.FleetUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("CAL-18: client scenarios of MCP's conformance suite, through topics")
final class ConformanceTest {
    private static final Path PAGE = Checkout.root().resolve("docs/reference/conformance.md");

    /** Runs are mostly waits: for programs that start, for the broker, for a retry. */
    private static final int SIDE_BY_SIDE = 4;

    @Test
    @DisplayName("do as the page says, which names each")
    void asThePageSays(@TempDir Path work) throws Exception {
        var suite = new ConformanceSuite(work);
        var all = suite.scenarios();
        var verdicts = run(suite, all);

        System.out.println("Conformance: " + ConformancePage.summary(all, verdicts));
        var page = ConformancePage.of(version(), all, verdicts);
        Files.writeString(Path.of("target/conformance.md"), page);
        assertThat(verdicts)
                .isNotEmpty()
                .allSatisfy(
                        (scenario, verdict) ->
                                assertThat(verdict.passes() || Remarks.open(scenario) != null)
                                        .as("%s: %s", scenario, verdict)
                                        .isTrue());
        assertThat(PAGE)
                .as("stale: cp infra/testing/target/conformance.md docs/reference/conformance.md")
                .hasContent(page);
    }

    private static SortedMap<ClientScenario, Verdict> run(
            ConformanceSuite suite, List<ClientScenario> all) throws Exception {
        var verdicts = new TreeMap<ClientScenario, Verdict>();
        try (var fleet =
                        FleetUnderTest.named("conformance")
                                .worker("mcp.announce-input", "true")
                                .start();
                var threads = Executors.newFixedThreadPool(SIDE_BY_SIDE)) {
            var running = new TreeMap<ClientScenario, Future<Verdict>>();
            for (var each : all) {
                if (Remarks.notApplicable(each) == null) {
                    running.put(each, threads.submit(() -> suite.run(each, fleet.bootstrap())));
                }
            }
            for (var each : running.entrySet()) {
                verdicts.put(each.getKey(), each.getValue().get());
            }
        }
        return verdicts;
    }

    /** The version of the suite that is pinned. */
    private static String version() throws IOException {
        var pinned = Checkout.root().resolve("infra/testing/npm/package.json");
        return Json.tree(Files.readAllBytes(pinned))
                .at("/dependencies/@modelcontextprotocol~1conformance")
                .asString("");
    }
}
