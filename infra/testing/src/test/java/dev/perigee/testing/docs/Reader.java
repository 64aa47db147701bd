package dev.perigee.testing.docs;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

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
import java.util.Set;

/**
 * A reader with a checkout, who runs the command lines that are written somewhere. Plain command
 * lines of Perigee's run in this JVM, as a JVM for each would take a minute more; those that need a
 * shell, or end by Ctrl-C only, run as they stand. Used by one thread.
 */
final class Reader implements AutoCloseable {
    private static final String PERIGEE = "scripts/perigee";

    /** Commands that start parts as JVMs like their own, or read their standard input. */
    private static final Set<String> ALONE = Set.of("demo", "shell");

    private static final String JAVA = "/bin/java\" ";

    /** A program that is compiled for one run is over before the optimizing compiler pays. */
    private static final String SHORT_RUN =
            "JDK_JAVA_OPTIONS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' ";

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final NpmRegistry registry;
    private final Path root;
    private final Path programs;
    private final List<Path> links = new ArrayList<>();
    private final DevFleets fleets = new DevFleets();
    private final Shell shell;

    private Reader(NpmRegistry registry, Path folder, Path logs) throws IOException {
        this.registry = registry;
        root = Files.createDirectory(folder.resolve("checkout"));
        try (var entries = Files.list(Checkout.root())) {
            for (var entry : entries.toList()) {
                link(root.resolve(entry.getFileName()), entry);
            }
        }
        // The Python that Debian's confluent-kafka is for, whichever comes first otherwise.
        programs = Files.createDirectory(folder.resolve("bin"));
        link(programs.resolve("python3"), Path.of("/usr/bin/python3"));
        shell =
                new Shell(
                        root,
                        logs,
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

    /**
     * Gives him a checkout and a registry of npm packages.
     *
     * @param folder is empty, and his alone
     * @param name of the directory of what his commands print: readers of other JVMs run at the
     *     same time, and wait for what their own commands print
     */
    static Reader in(Path folder, String name) throws IOException {
        var logs = Files.createDirectories(Path.of("target", "docs", name)).toAbsolutePath();
        return new Reader(NpmRegistry.start(), folder, logs);
    }

    private void link(Path at, Path target) throws IOException {
        links.add(Files.createSymbolicLink(at, target));
    }

    /** The root of the checkout, where what he writes is kept from the real one. */
    Path root() {
        return root;
    }

    /** Adds a version of a package to his registry. */
    void publish(Path packaged) {
        registry.publish(packaged);
    }

    /** Where programs of his own come first in PATH. */
    Path programs() {
        return programs;
    }

    /** The fleets that he starts. */
    DevFleets fleets() {
        return fleets;
    }

    Shell shell() {
        return shell;
    }

    /**
     * Runs a line, which names the addresses that are usual.
     *
     * @param endless is ended as soon as it has printed something
     */
    void run(String text, boolean endless, int exitCode) throws InterruptedException {
        var line = fleets.translated(text);
        if (line.startsWith(DevFleets.COMMAND)) {
            fleets.start(line, shell);
        } else if (endless) {
            var running = shell.start("exec " + line);
            try {
                // A replay first says which run it is, and how far it came once that is noted.
                long lines = line.contains(" replay ") ? 2 : 1;
                running.awaitOutput(output -> output.lines().count() >= lines);
            } finally {
                running.interrupt();
            }
        } else {
            runToItsEnd(line, exitCode);
        }
    }

    private void runToItsEnd(String line, int exitCode) throws InterruptedException {
        var words = Words.of(line);
        if (words != null && words.getFirst().equals(PERIGEE) && !ALONE.contains(words.get(1))) {
            System.out.println(perigee(words.subList(1, words.size()), exitCode));
        } else if (line.contains(JAVA)) {
            System.out.println(shell.run(SHORT_RUN + line, exitCode));
        } else {
            System.out.println(shell.run(line, exitCode));
        }
    }

    /** Runs a command of Perigee's in this JVM; gives what it printed. */
    String perigee(List<String> words, int exitCode) {
        var output = new StringWriter();
        var writer = new PrintWriter(output);
        var commandLine = Perigee.commandLine(writer, writer);
        commandLine.setDefaultValueProvider(
                option -> option.paramLabel().equals("HOST:PORT") ? fleets.bootstrap() : null);
        var arguments = words.stream().map(shell::fileOr).toArray(String[]::new);

        int ended = assertTimeoutPreemptively(PATIENCE, () -> commandLine.execute(arguments));

        assertThat(ended).as(output::toString).isEqualTo(exitCode);
        return output.toString();
    }

    @Override
    public void close() throws IOException {
        try {
            fleets.close();
        } finally {
            registry.close();
            for (var link : links) {
                Files.delete(link);
            }
        }
    }
}
