package dev.perigee.bench.fleet;

import dev.perigee.local.sample.SampleServer;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.ServerSettings;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.testing.NpmServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server with a tool {@code echo}.
 *
 * @param slug also what it is called in results
 * @param line the command line
 */
public record EchoProgram(String slug, List<String> line) {
    private static final long COMPILER_SECONDS = 60;

    public EchoProgram {
        line = List.copyOf(line);
    }

    /**
     * The trivial one: of C, compiled into the directory, or Perigee's sample server where there is
     * no compiler.
     *
     * @param say is told so
     */
    public static EchoProgram trivial(Path directory, Consumer<String> say)
            throws IOException, InterruptedException {
        var program = directory.resolve("echo");
        var source = directory.resolve("echo.c");
        try (var resource =
                Objects.requireNonNull(EchoProgram.class.getResourceAsStream("echo.c"))) {
            Files.copy(resource, source);
        }
        if (compile(List.of("cc", "-O2", "-o", program.toString(), source.toString()))) {
            return new EchoProgram("echo", List.of(program.toString()));
        }
        say.accept("There is no C compiler (cc): the trivial server is one of Java, and larger");
        return new EchoProgram(
                "echo",
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SampleServer.class.getName()));
    }

    private static boolean compile(List<String> command) throws InterruptedException {
        try {
            var compiler = new ProcessBuilder(command).inheritIO().start();
            if (!compiler.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS)) {
                compiler.destroyForcibly();
                return false;
            }
            return compiler.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * The reference server {@code everything} from npm; null where it cannot be had.
     *
     * @param say is told why
     */
    public static @Nullable EchoProgram everything(Consumer<String> say) {
        try {
            var script = NpmServers.installed().entry("everything");
            return new EchoProgram("everything", List.of("node", script.toString()));
        } catch (RuntimeException e) {
            say.accept("Without server-everything: " + e.getMessage());
            return null;
        }
    }

    /** A user's installation of it. Request logs are off: bare ways have nothing of the kind. */
    public ServerConfig installedFor(RecordKey user) {
        var userId = String.valueOf(user.userId());
        return new ServerConfigBuilder(
                        slug,
                        slug,
                        new Owner(user.teamId(), user.teamId(), userId, userId),
                        TransportType.STDIO,
                        line.getFirst(),
                        line.subList(1, line.size()))
                .settings(new ServerSettings(false, null))
                .build();
    }
}
