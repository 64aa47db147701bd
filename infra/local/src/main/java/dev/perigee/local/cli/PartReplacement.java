package dev.perigee.local.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * The operator's command that replaces one part. It runs in a shell with the part's name in place
 * of {@code {part}} and in {@code PERIGEE_PART}.
 */
final class PartReplacement {
    private static final String PLACE = "{part}";

    /** Names that mean nothing to a shell: those of workers come from a topic. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*");

    private final String command;
    private final Consumer<String> say;

    /**
     * @param say takes the command's output, line by line
     */
    PartReplacement(String command, Consumer<String> say) {
        this.command = command;
        this.say = say;
    }

    /** The command for a part, as it is run. */
    String of(String part) {
        if (!PLAIN.matcher(part).matches()) {
            throw CliException.usage(
                    "The part '%s' cannot be named to a shell: only letters, digits, '.', '_' and '-'"
                            .formatted(part));
        }
        return command.replace(PLACE, part);
    }

    /**
     * Runs it and waits for its end.
     *
     * @throws CliException when it fails or does not end in time; it is ended then
     */
    void run(String part, Duration atMost) throws InterruptedException {
        var builder = new ProcessBuilder("sh", "-c", of(part)).redirectErrorStream(true);
        builder.environment().put("PERIGEE_PART", part);
        try {
            var process = builder.start();
            process.getOutputStream().close();
            var output = process.inputReader(UTF_8);
            // Not virtual: a blocked read of a pipe holds its carrier.
            var reader = Thread.ofPlatform().daemon().start(() -> pass(part, output));
            if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw failed(part, "has not ended within " + atMost.toSeconds() + " s");
            }
            reader.join(Duration.ofSeconds(1));
            if (process.exitValue() != 0) {
                throw failed(part, "exited with " + process.exitValue());
            }
        } catch (IOException e) {
            throw failed(part, "cannot be run: " + e.getMessage());
        }
    }

    private void pass(String part, BufferedReader output) {
        try (output) {
            for (var line = output.readLine(); line != null; line = output.readLine()) {
                say.accept(part + ": " + line);
            }
        } catch (IOException e) {
            // It was ended.
        }
    }

    private CliException failed(String part, String how) {
        return new CliException(ExitCode.FAILED, "The command '%s' %s".formatted(of(part), how));
    }
}
