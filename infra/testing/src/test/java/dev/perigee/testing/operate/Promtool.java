package dev.perigee.testing.operate;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.faults.Program;
import java.io.IOException;
import java.util.stream.Stream;

/** Debian's promtool. */
final class Promtool {
    private Promtool() {}

    /** Runs it and gives its output, which says what is wrong when it fails. */
    static String run(String... arguments) throws IOException, InterruptedException {
        var command =
                Stream.concat(Stream.of(Program.PROMTOOL.path().toString()), Stream.of(arguments));
        var process = new ProcessBuilder(command.toList()).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(output);
        }
        return output;
    }
}
