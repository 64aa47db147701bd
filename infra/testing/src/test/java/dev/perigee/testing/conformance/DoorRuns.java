package dev.perigee.testing.conformance;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Runs of the suite's server scenarios against a door, behind which a fleet has fixture S. The
 * suite presents no token, so that a proxy adds it.
 */
final class DoorRuns {
    private static final Path PROXY =
            Checkout.root().resolve("infra/testing/fixtures/clients/bearer.mjs");

    private static final int RUNS = 3;

    private DoorRuns() {}

    /** Runs all that apply, one after another at each revision. */
    static SortedMap<SuiteScenario, ScenarioVerdict> of(
            ConformanceSuite suite, List<SuiteScenario> all, FleetUnderTest fleet, Path work)
            throws Exception {
        var server =
                Installation.of(
                        "suite",
                        Fixtures.NODE,
                        List.of(
                                Fixtures.suiteScript().toString(),
                                NpmServers.installed().modules().toString()));
        fleet.backend().install(List.of(server));
        fleet.records()
                .await(
                        Topic.CATALOG,
                        "prompts of S",
                        record ->
                                record.text("server_slug").equals("suite")
                                        && !record.text("prompts/0/name").isEmpty());
        try (var door = OpenDoor.of(fleet, work.resolve("tokens"), List.of(server));
                var proxy = new Proxy("http://" + door.address(), OpenDoor.token(server))) {
            var url = "http://127.0.0.1:" + proxy.port() + "/mcp/suite";
            return run(suite, all, url);
        }
    }

    private static SortedMap<SuiteScenario, ScenarioVerdict> run(
            ConformanceSuite suite, List<SuiteScenario> all, String url) throws Exception {
        var byRevision =
                all.stream()
                        .filter(each -> Remarks.notApplicableToDoor(each) == null)
                        .collect(Collectors.groupingBy(SuiteScenario::revision));
        var verdicts = new TreeMap<SuiteScenario, ScenarioVerdict>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running =
                    byRevision.values().stream()
                            .<Future<SortedMap<SuiteScenario, ScenarioVerdict>>>map(
                                    each -> threads.submit(() -> suite.run(each, url)))
                            .toList();
            for (var each : running) {
                verdicts.putAll(each.get());
            }
        }
        for (var each : verdicts.entrySet()) {
            each.setValue(again(suite, each.getKey(), each.getValue(), url));
        }
        return verdicts;
    }

    /**
     * The verdict on one that should have passed is that of a run of its own: the suite waits for
     * half a second at times, which a busy machine does not keep.
     */
    private static ScenarioVerdict again(
            ConformanceSuite suite, SuiteScenario scenario, ScenarioVerdict before, String url)
            throws IOException, InterruptedException {
        var verdict = before;
        for (int run = 0;
                run < RUNS && !verdict.passes() && Remarks.openAtDoor(scenario) == null;
                run++) {
            verdict = suite.run(scenario, URI.create(url));
        }
        return verdict;
    }

    /** Proxy that adds a token, as a program of Node. */
    private static final class Proxy implements AutoCloseable {
        private final Process process;
        private final int port;

        Proxy(String origin, String token) throws IOException {
            process =
                    new ProcessBuilder(Fixtures.NODE, PROXY.toString(), origin, token)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            try {
                var out =
                        new BufferedReader(
                                new InputStreamReader(
                                        process.getInputStream(), StandardCharsets.UTF_8));
                port = Integer.parseInt(String.valueOf(out.readLine()));
            } catch (IOException | NumberFormatException e) {
                close();
                throw new IOException("The proxy does not start", e);
            }
        }

        int port() {
            return port;
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
