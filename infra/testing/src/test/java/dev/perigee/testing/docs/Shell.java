package dev.perigee.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * The reader's terminal: bash in a directory that looks like the root of the checkout and takes
 * what commands write there.
 */
final class Shell {

    /** How a program ends that was told to by Ctrl-C or SIGTERM: in order, or by the signal. */
    private static final List<Integer> INTERRUPTED = List.of(0, 130, 143);

    /** The images' runtime takes some minutes on a machine that runs other tests as well. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final Duration END = Duration.ofSeconds(60);

    /** Files that commands of the pages write, which no name in a checkout is like. */
    private static final Pattern WRITTEN = Pattern.compile(".+\\.(?:recording|backup)");

    private final Path directory;
    private final Path logs;
    private final Map<String, String> environment;
    private final AtomicInteger runs = new AtomicInteger();

    Shell(Path directory, Path logs, Map<String, String> environment) {
        this.directory = directory;
        this.logs = logs;
        this.environment = environment;
    }

    /** A program that runs. */
    record Running(Process process, Path log) {

        String output() {
            try {
                return Files.readString(log);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Waits until what it has printed is enough, or it ends with what it has printed. */
        void awaitOutput(Predicate<String> enough) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !process.isAlive() || enough.test(output()));
            assertThat(output()).matches(enough, "what it was to print");
        }

        /** Ends it by SIGTERM: Ctrl-C does the same, but not to what a script has started. */
        void interrupt() {
            process.destroy();
            try {
                assertThat(process.waitFor(END.toSeconds(), TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).as(this::output).isIn(INTERRUPTED);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            } finally {
                kill();
            }
        }

        private void kill() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    Running start(String line) {
        var log = logs.resolve("run-" + runs.incrementAndGet() + ".log");
        var builder =
                new ProcessBuilder("bash", "-c", line)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        try {
            var process = builder.start();
            process.getOutputStream().close();
            return new Running(process, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a line to its end and gives what it printed. */
    String run(String line, int exitCode) throws InterruptedException {
        var running = start(line);
        try {
            assertThat(running.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as(running::output)
                    .isTrue();
            assertThat(running.process().exitValue()).as(running::output).isEqualTo(exitCode);
            return running.output();
        } finally {
            running.kill();
        }
    }

    /** A file that a word of a command line names, or that it will write, or else the word. */
    String fileOr(String word) {
        if (word.isEmpty() || word.startsWith("-") || word.indexOf('{') >= 0) {
            return word;
        }
        var file = directory.resolve(word);
        return Files.isRegularFile(file) || WRITTEN.matcher(word).matches()
                ? file.toString()
                : word;
    }
}
