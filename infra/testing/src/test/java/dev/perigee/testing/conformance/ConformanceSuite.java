package dev.perigee.testing.conformance;

import dev.perigee.testing.Checkout;
import dev.perigee.testing.NpmFolder;
import dev.perigee.testing.NpmServers;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * {@code @modelcontextprotocol/conformance} as {@code infra/testing/npm} pins it, with the Node
 * that is there beside it: the suite needs a newer one than README names. For any thread.
 */
final class ConformanceSuite {
    private static final Duration PATIENCE = Duration.ofMinutes(15);
    private static final int CLIENT_MILLISECONDS = 90_000;

    private static final Path PROGRAM =
            Checkout.root().resolve("infra/testing/fixtures/clients/conforms.mjs");

    private final NpmServers npm;
    private final Path work;

    /**
     * The suite, installed unless that is done already, and the TypeScript client.
     *
     * @param work folder for what it writes, that is there
     */
    ConformanceSuite(Path work) {
        this.npm = NpmServers.installed();
        this.work = work;
        NpmFolder.installed(Checkout.root().resolve("infra/clients/typescript"));
    }

    private record Ended(int code, String output) {}

    /** All that it has of clients. */
    List<SuiteScenario> scenarios() throws IOException, InterruptedException {
        return SuiteScenario.listed(run(List.of("list", "--client")).output());
    }

    /** All that it has of servers. */
    List<SuiteScenario> serverScenarios() throws IOException, InterruptedException {
        return SuiteScenario.listed(run(List.of("list", "--server")).output());
    }

    /** Runs all of these, which are of one revision, against a server. */
    SortedMap<SuiteScenario, ScenarioVerdict> run(List<SuiteScenario> scenarios, String url)
            throws IOException, InterruptedException {
        var verdicts = new TreeMap<SuiteScenario, ScenarioVerdict>();
        var results = server(scenarios.getFirst().revision(), url, "--suite", "all");
        for (var each : scenarios) {
            verdicts.put(each, ScenarioVerdict.read(folder(results, each.name()), ""));
        }
        return verdicts;
    }

    /** Runs one against a server. */
    ScenarioVerdict run(SuiteScenario scenario, URI url) throws IOException, InterruptedException {
        var results = server(scenario.revision(), url.toString(), "--scenario", scenario.name());
        return ScenarioVerdict.read(folder(results, scenario.name()), "");
    }

    private Path server(String revision, String url, String... which)
            throws IOException, InterruptedException {
        var results = Files.createTempDirectory(work, "results");
        var arguments =
                new ArrayList<>(
                        List.of(
                                "server",
                                "--url",
                                url,
                                "--spec-version",
                                revision,
                                "--output-dir",
                                results.toString()));
        arguments.addAll(List.of(which));
        var _ = run(arguments);
        return results;
    }

    /** Where the results of one are, behind whose name the suite writes the time. */
    private static Path folder(Path results, String name) throws IOException {
        try (var folders = Files.list(results)) {
            return folders.filter(
                            each ->
                                    each.getFileName()
                                            .toString()
                                            .matches("server-" + name + "-20\\d\\d-.*"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("There are no results of " + name));
        }
    }

    /** Runs one, against a fleet with this broker. */
    ScenarioVerdict run(SuiteScenario scenario, String bootstrap)
            throws IOException, InterruptedException {
        var results = Files.createTempDirectory(work, "results");
        var arguments =
                new ArrayList<>(
                        List.of(
                                "client",
                                "--command",
                                String.join(" ", npm.node(), PROGRAM.toString(), bootstrap),
                                "--scenario",
                                scenario.name(),
                                "--timeout",
                                Integer.toString(CLIENT_MILLISECONDS),
                                "--output-dir",
                                results.toString()));
        if (!scenario.isExtension()) {
            arguments.addAll(List.of("--spec-version", scenario.revision()));
        }
        var ended = run(arguments);
        // Some scenarios take any end of a client; the program's own checks count in all of them.
        boolean passes = ended.code() == 0 && !ended.output().contains("Client exited with code");
        return ScenarioVerdict.read(passes, results, ended.output());
    }

    private Ended run(List<String> arguments) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(npm.node());
        command.add(
                npm.modules()
                        .resolve("@modelcontextprotocol/conformance/dist/index.js")
                        .toString());
        command.addAll(arguments);
        var output = Files.createTempFile(work, "suite", ".log");
        var builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("NODE_COMPILE_CACHE", work.resolve("compiled").toString());
        var process = builder.start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException(command + " runs on: " + Files.readString(output));
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }
}
