package dev.perigee.testing.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.fleet.FleetUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("CAL-18, CAL-20: scenarios of MCP's conformance suite, through topics and a door")
final class ConformanceTest {
    private static final Path PAGE = Checkout.root().resolve("docs/reference/conformance.md");

    private static final String KEYS = "k:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

    /** The one that the suite expects; it is never read. */
    private static final String DOCUMENT = "https://conformance-test.local/client-metadata.json";

    /** Runs are mostly waits: for programs that start, for the broker, for a retry. */
    private static final int SIDE_BY_SIDE = 4;

    @Test
    @DisplayName("do as the page says, which names each")
    void asThePageSays(@TempDir Path work) throws Exception {
        var suite = new ConformanceSuite(work);
        var clients = suite.scenarios();
        var servers = suite.serverScenarios();
        SortedMap<SuiteScenario, ScenarioVerdict> asClient;
        SortedMap<SuiteScenario, ScenarioVerdict> asServer;
        try (var fleet =
                        FleetUnderTest.named("conformance")
                                .gateway("state.encryption-keys", KEYS)
                                .worker("mcp.announce-input", "true")
                                .worker("oauth.client-metadata-url", DOCUMENT)
                                .worker("oauth.redirect-uri", "https://backend.example/back")
                                .start();
                var threads = Executors.newFixedThreadPool(SIDE_BY_SIDE)) {
            var door = threads.submit(() -> DoorRuns.of(suite, servers, fleet, work));
            var running = new TreeMap<SuiteScenario, Future<ScenarioVerdict>>();
            for (var each : clients) {
                if (Remarks.notApplicable(each) == null) {
                    running.put(each, threads.submit(() -> suite.run(each, fleet.bootstrap())));
                }
            }
            asClient = new TreeMap<>();
            for (var each : running.entrySet()) {
                asClient.put(each.getKey(), each.getValue().get());
            }
            asServer = door.get();
        }

        var page =
                ConformancePage.of(
                        version(),
                        new ConformancePage.Side(
                                clients, asClient, Remarks::notApplicable, Remarks::open),
                        new ConformancePage.Side(
                                servers,
                                asServer,
                                Remarks::notApplicableToDoor,
                                Remarks::openAtDoor));
        page.lines()
                .filter(line -> line.startsWith("Of "))
                .forEach(line -> System.out.println("Conformance: " + line));
        Files.writeString(Path.of("target/conformance.md"), page);
        passes(asClient, Remarks::open);
        passes(asServer, Remarks::openAtDoor);
        assertThat(PAGE)
                .as("stale: cp infra/testing/target/conformance.md docs/reference/conformance.md")
                .hasContent(page);
    }

    private static void passes(
            Map<SuiteScenario, ScenarioVerdict> verdicts,
            Function<SuiteScenario, @Nullable String> open) {
        assertThat(verdicts).isNotEmpty();
        assertThat(
                        verdicts.entrySet().stream()
                                .filter(each -> !each.getValue().passes())
                                .filter(each -> open.apply(each.getKey()) == null)
                                .map(each -> each.getKey() + ": " + each.getValue())
                                .collect(Collectors.joining("\n")))
                .isEmpty();
    }

    /** The version of the suite that is pinned. */
    private static String version() throws IOException {
        var pinned = Checkout.root().resolve("infra/testing/npm/package.json");
        return Json.tree(Files.readAllBytes(pinned))
                .at("/dependencies/@modelcontextprotocol~1conformance")
                .asString("");
    }
}
