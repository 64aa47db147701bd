package dev.perigee.testing.docs;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.local.cli.Perigee;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.NpmRegistry;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every command line of README.md and docs/*.md, page by page from the top to the end, as a
 * reader with a checkout would. What is not run is reported as skipped, with the reason. Plain
 * command lines of Perigee's run in this JVM, as a JVM for each would take a minute more; those
 * that need a shell, or end by Ctrl-C only, run as they stand.
 */
@DisplayName("Every command line of the documentation runs")
@Tag(NeedsProgram.TAG)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DocumentationTest {

    private static final String PERIGEE = "scripts/perigee";

    /** Starts parts, as JVMs like its own. */
    private static final String DEMO = "demo";

    /** The word by which a line says that it needs a program. */
    private static final Map<Program, Pattern> PROGRAMS =
            Map.of(
                    Program.PYTHON_KAFKA, Pattern.compile("\\bpython3 "),
                    Program.CURL, Pattern.compile("\\bcurl "),
                    Program.OBJCOPY, Pattern.compile("\\bscripts/images\\b"),
                    Program.OPENSSL, Pattern.compile("\\bopenssl "));

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final DevFleets fleets = new DevFleets();
    private final List<Path> links = new ArrayList<>();
    private NpmRegistry registry;
    private Shell shell;

    @BeforeAll
    void open(@TempDir Path folder) throws IOException {
        registry = NpmRegistry.start();
        var root = Files.createDirectory(folder.resolve("checkout"));
        try (var entries = Files.list(Checkout.root())) {
            for (var entry : entries.toList()) {
                link(root.resolve(entry.getFileName()), entry);
            }
        }
        // The Python that Debian's confluent-kafka is for, whichever comes first otherwise.
        var programs = Files.createDirectory(folder.resolve("bin"));
        link(programs.resolve("python3"), Path.of("/usr/bin/python3"));
        shell =
                new Shell(
                        root,
                        Files.createDirectories(Path.of("target", "docs")).toAbsolutePath(),
                        Map.ofEntries(
                                entry("PATH", programs + ":" + System.getenv("PATH")),
                                entry("JAVA25_HOME", System.getProperty("java.home")),
                                entry("PERIGEE_NO_BUILD", "1"),
                                entry("PERIGEE_BOOTSTRAP", fleets.bootstrap()),
                                entry(
                                        "PERIGEE_WORKER_CACHE_DIRECTORY",
                                        folder.resolve("packages").toString()),
                                entry("npm_config_registry", registry.url()),
                                entry("npm_config_cache", folder.resolve("npm").toString())));
    }

    private void link(Path at, Path target) throws IOException {
        links.add(Files.createSymbolicLink(at, target));
    }

    @AfterAll
    void close() throws IOException {
        try {
            fleets.close();
        } finally {
            registry.close();
            for (var link : links) {
                Files.delete(link);
            }
        }
    }

    @TestFactory
    Stream<DynamicNode> pages(TestInfo test) {
        return Pages.inOrder().stream()
                .map(file -> Pages.read(file).steps())
                .filter(steps -> !steps.isEmpty())
                .map(steps -> page(steps, test));
    }

    /** What comes after a step that failed would only fail as well, and is not run. */
    private DynamicNode page(List<Step> steps, TestInfo test) {
        var whole = new AtomicBoolean(true);
        return dynamicContainer(
                steps.getFirst().page(),
                steps.stream()
                        .map(
                                step ->
                                        dynamicTest(
                                                step.toString(),
                                                () -> {
                                                    assumeTrue(whole.get(), "Not run, see above");
                                                    assumeItCanRun(step, test);
                                                    whole.set(false);
                                                    run(step);
                                                    whole.set(true);
                                                })));
    }

    private static void assumeItCanRun(Step step, TestInfo test) {
        var reason = NotRun.reason(step);
        if (reason != null) {
            System.out.println("Not run, " + reason + ": " + step);
            abort("Not run, " + reason);
        }
        PROGRAMS.forEach(
                (program, word) -> {
                    if (word.matcher(step.text()).find()) {
                        program.require(test);
                    }
                });
    }

    private void run(Step step) throws Exception {
        var line = fleets.translated(step.text());
        if (line.startsWith(DevFleets.COMMAND)) {
            fleets.start(line, shell);
        } else if (step.endless()) {
            var running = shell.start("exec " + line);
            try {
                // A replay first says which run it is, and how far it came once that is noted.
                long lines = line.contains(" replay ") ? 2 : 1;
                running.awaitOutput(output -> output.lines().count() >= lines);
            } finally {
                running.interrupt();
            }
        } else {
            runToItsEnd(line, step.exitCode());
        }
    }

    private void runToItsEnd(String line, int exitCode) throws Exception {
        var words = Words.of(line);
        if (words != null && words.getFirst().equals(PERIGEE) && !words.get(1).equals(DEMO)) {
            runHere(words.subList(1, words.size()), exitCode);
        } else {
            System.out.println(shell.run(line, exitCode));
        }
    }

    private void runHere(List<String> words, int exitCode) {
        var output = new StringWriter();
        var writer = new PrintWriter(output);
        var commandLine = Perigee.commandLine(writer, writer);
        commandLine.setDefaultValueProvider(
                option -> option.paramLabel().equals("HOST:PORT") ? fleets.bootstrap() : null);
        var arguments = words.stream().map(shell::fileOr).toArray(String[]::new);

        int ended = assertTimeoutPreemptively(PATIENCE, () -> commandLine.execute(arguments));

        System.out.println(output);
        assertThat(ended).as(output::toString).isEqualTo(exitCode);
    }
}
