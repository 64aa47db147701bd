package dev.perigee.testing.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.fleet.FleetUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("CAL-18: client scenarios of MCP's conformance suite, through topics")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ConformanceTest {
    private static final Path FOLDER = Checkout.root().resolve("infra/testing/conformance");
    private static final Path PAGE = Checkout.root().resolve("docs/reference/conformance.md");

    private final SortedMap<ClientScenario, Expectation> all = new TreeMap<>();

    @SuppressWarnings("NullAway.Init") // By JUnit.
    private ConformanceSuite suite;

    @SuppressWarnings("NullAway.Init") // By JUnit.
    private FleetUnderTest fleet;

    @BeforeAll
    void start(@TempDir Path work) throws Exception {
        suite = new ConformanceSuite(work);
        suite.scenarios().forEach(each -> all.put(each, Expectations.of(each)));
        fleet = FleetUnderTest.named("conformance").worker("mcp.announce-input", "true").start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName("those that apply do as the page says, which has a row for each")
    void apply() throws Exception {
        var verdicts = run(Expectation::applies);
        var page = ConformancePage.of(version(), all, verdicts);
        Files.writeString(Path.of("target/conformance.md"), page);

        System.out.println("Conformance: " + ConformancePage.summary(all));
        assertMet(verdicts);
        assertThat(PAGE)
                .as("stale: cp infra/testing/target/conformance.md docs/reference/conformance.md")
                .hasContent(page);
    }

    @Test
    @Tag("long")
    @DisplayName("those of what is not supported do not pass")
    void doNotApply() throws Exception {
        assertMet(run(expected -> !expected.applies()));
    }

    /** One after the other: one of them measures times. */
    private SortedMap<ClientScenario, Verdict> run(Predicate<Expectation> which)
            throws IOException, InterruptedException {
        var verdicts = new TreeMap<ClientScenario, Verdict>();
        for (var entry : all.entrySet()) {
            if (which.test(entry.getValue())) {
                verdicts.put(entry.getKey(), suite.run(entry.getKey(), fleet.bootstrap()));
            }
        }
        return verdicts;
    }

    private void assertMet(SortedMap<ClientScenario, Verdict> verdicts) {
        assertThat(verdicts).isNotEmpty();
        assertThat(verdicts)
                .allSatisfy(
                        (scenario, verdict) ->
                                assertThat(Objects.requireNonNull(all.get(scenario)).isMet(verdict))
                                        .as("%s: %s", scenario, verdict)
                                        .isTrue());
    }

    /** The version of the suite that is pinned. */
    private static String version() throws IOException {
        return Json.tree(Files.readAllBytes(FOLDER.resolve("package.json")))
                .at("/dependencies/@modelcontextprotocol~1conformance")
                .asString("");
    }
}
