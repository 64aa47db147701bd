package dev.perigee.testing.operate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Debian's package prometheus. Tests that need it are skipped where it is missing, unless {@code
 * PROMETHEUS_REQUIRED=1}.
 */
final class DebianPrometheus {
    private DebianPrometheus() {}

    /** Where a program of the package is. */
    static Path program(String name) {
        var found =
                Stream.of(System.getenv("PATH").split(":"))
                        .map(directory -> Path.of(directory, name))
                        .filter(Files::isExecutable)
                        .findFirst();
        if (found.isEmpty() && "1".equals(System.getenv("PROMETHEUS_REQUIRED"))) {
            throw new AssertionError(name + " is missing: apt-get install prometheus");
        }
        assumeTrue(found.isPresent(), name + " is missing: apt-get install prometheus");
        return found.orElseThrow();
    }

    /** Runs promtool and gives its output, which says what is wrong when it fails. */
    static String promtool(String... arguments) throws IOException, InterruptedException {
        var command =
                Stream.concat(Stream.of(program("promtool").toString()), Stream.of(arguments));
        var process = new ProcessBuilder(command.toList()).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(output);
        }
        return output;
    }
}
