package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmFolder;
import dev.perigee.testing.NpmServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Each example installs a server, calls its tool and prints the answer")
@ExtendWith(SharedFleet.class)
final class ExamplesTest {

    private static final Path EXAMPLES = Path.of("../examples").toAbsolutePath().normalize();
    private static final Path CLIENTS = Path.of("../clients").toAbsolutePath().normalize();
    private static final long PATIENCE_SECONDS = 120;

    @TempDir private Path directory;

    @Test
    void java(FleetUnderTest fleet) throws Exception {
        assertThat(run(source("java/CallATool.java"), fleet, Map.of()))
                .contains("SUCCESS", "Echo: Hello from Java");
    }

    @Test
    void spring(FleetUnderTest fleet) throws Exception {
        assertThat(run(source("spring/ReplyingTemplate.java"), fleet, Map.of()))
                .contains("success", "Echo: Hello from Spring");
    }

    @Test
    void node(FleetUnderTest fleet) throws Exception {
        // As npm would lay it out, but for what the client needs, which is beside the client.
        var modules = Files.createDirectories(directory.resolve("node_modules"));
        var client = NpmFolder.installed(CLIENTS.resolve("typescript"));
        Files.createSymbolicLink(modules.resolve("perigee-client"), client);
        var example = directory.resolve("call-a-tool.mjs");
        Files.copy(EXAMPLES.resolve("node/call-a-tool.mjs"), example);

        assertThat(run(List.of(Fixtures.NODE, example.toString()), fleet, Map.of()))
                .contains("success", "Echo: Hello from Node");
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    void python(FleetUnderTest fleet) throws Exception {
        var program = Program.PYTHON_KAFKA.path().toString();
        var command = List.of(program, EXAMPLES.resolve("python/call_a_tool.py").toString());

        var sources = Map.of("PYTHONPATH", CLIENTS.resolve("python/src").toString());

        assertThat(run(command, fleet, sources)).contains("success", "Echo: Hello from Python");
    }

    private static List<String> source(String file) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                EXAMPLES.resolve(file).toString());
    }

    /** Runs an example against the fleet; gives what it printed. */
    private String run(List<String> example, FleetUnderTest fleet, Map<String, String> environment)
            throws Exception {
        var everything = NpmServers.installed().entry("everything");
        var command = new ArrayList<>(example);
        command.addAll(List.of(fleet.bootstrap(), Fixtures.NODE, everything.toString()));
        assertThat(exitCode(command, environment)).as(this::printed).isZero();
        return printed();
    }

    private int exitCode(List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("out").toFile());
        builder.environment().putAll(environment);
        var process = builder.start();
        try {
            process.getOutputStream().close();
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as(this::printed)
                    .isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private String printed() {
        try {
            return Files.readString(directory.resolve("out"));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
