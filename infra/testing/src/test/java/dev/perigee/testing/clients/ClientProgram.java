package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.Program;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program on one of the clients, as they are in the source tree. For one thread. */
final class ClientProgram implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Path CLIENTS = Checkout.root().resolve("infra/clients");

    /** Start of a program with these arguments, whose output is in that file. */
    interface Launcher {
        ClientProgram start(Path output, String... arguments) throws IOException;
    }

    private final Process process;
    private final Path output;

    private ClientProgram(ProcessBuilder builder, Path output) throws IOException {
        this.output = output;
        this.process =
                builder.redirectErrorStream(true)
                        .redirectOutput(Files.createFile(output).toFile())
                        .start();
        process.getOutputStream().close();
    }

    /** The TypeScript client, with what it needs from npm. */
    static Path typescript() {
        return NpmFolder.installed(CLIENTS.resolve("typescript"));
    }

    static Path python() {
        return CLIENTS.resolve("python");
    }

    /** Node with these arguments, in the folder of the TypeScript client. */
    static ClientProgram node(Path output, String... arguments) throws IOException {
        return new ClientProgram(
                new ProcessBuilder(command(Fixtures.NODE, arguments))
                        .directory(typescript().toFile()),
                output);
    }

    /** Python with these arguments and the client's sources, in the folder of the Python client. */
    static ClientProgram python(Path output, String... arguments) throws IOException {
        var builder =
                new ProcessBuilder(command(Program.PYTHON_KAFKA.path().toString(), arguments))
                        .directory(python().toFile());
        builder.environment()
                .putAll(
                        Map.of(
                                "PYTHONPATH",
                                python().resolve("src").toString(),
                                "PYTHONDONTWRITEBYTECODE",
                                "1"));
        return new ClientProgram(builder, output);
    }

    private static List<String> command(String program, String... arguments) {
        var command = new ArrayList<>(List.of(program));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Waits until it has printed that line, or has ended. */
    void awaitLine(String line) {
        await(line)
                .atMost(PATIENCE)
                .until(() -> printed().lines().anyMatch(line::equals) || !process.isAlive());
    }

    /** Waits for its end, which must be a good one; gives what it printed. */
    String succeed() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as(this::printed)
                .isTrue();
        assertThat(process.exitValue()).as(this::printed).isZero();
        return printed();
    }

    private String printed() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
