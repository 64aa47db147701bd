package dev.perigee.testing.operate;

import dev.perigee.faults.Skipped;
import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The compose file as an engine runs it, but for Grafana, of which Debian has no package. The
 * engine is that of {@code infra/testing/engine/run}, whose containers' processes are seen here.
 * For one thread; each command has a deadline.
 */
final class ComposedFleet implements AutoCloseable {
    static final String BOOTSTRAP = "127.0.0.1:19092,127.0.0.1:19093,127.0.0.1:19094";
    private static final String PROJECT = "perigee-engine";
    private static final Duration START = Duration.ofMinutes(8);
    static final Duration BACK = Duration.ofMinutes(3);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Path OVERRIDE =
            Checkout.root().resolve("infra/testing/engine/override.yaml");

    private final Path output;
    private final Map<String, String> secrets;

    private ComposedFleet(Path output) {
        this.output = output;
        var random = new byte[24];
        ThreadLocalRandom.current().nextBytes(random);
        var secret = HexFormat.of().formatHex(random);
        secrets = Map.of("PERIGEE_LINK_TOKEN", "l" + secret, "PERIGEE_ADMIN_TOKEN", "a" + secret);
    }

    /** Skips the test where the lane has not started an engine. */
    static void require() {
        if (!"1".equals(System.getenv("ENGINE_REQUIRED"))) {
            Skipped.because(
                    "needs a container engine of its own (CI_LANE=engine .ci/run)",
                    "ENGINE_REQUIRED");
        }
    }

    /** Starts it as operators do and returns when compose says that it is ready. */
    static ComposedFleet up(Path output) throws IOException, InterruptedException {
        var fleet = new ComposedFleet(Files.createDirectories(output));
        try {
            fleet.compose(START, "up", "--detach", "--wait");
            return fleet;
        } catch (IOException | InterruptedException | AssertionError e) {
            fleet.close();
            throw e;
        }
    }

    /** What compose prints; a failure has the health and the logs of all parts. */
    String compose(Duration patience, String... arguments)
            throws IOException, InterruptedException {
        try {
            return composed(patience, arguments);
        } catch (AssertionError e) {
            throw new AssertionError(
                    composed(SOON, "ps", "--all") + composed(SOON, "logs", "--tail", "40"), e);
        }
    }

    private String composed(Duration patience, String... arguments)
            throws IOException, InterruptedException {
        var command =
                new ArrayList<>(
                        List.of(
                                "docker",
                                "compose",
                                "--project-name",
                                PROJECT,
                                "--file",
                                Compose.FILE.toString(),
                                "--file",
                                OVERRIDE.toString()));
        command.addAll(Arrays.asList(arguments));
        return run(patience, command);
    }

    /** What docker prints. */
    String docker(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("docker"));
        command.addAll(Arrays.asList(arguments));
        return run(SOON, command);
    }

    /** A command line of the README, for this fleet. */
    String perigee(String... arguments) throws IOException, InterruptedException {
        var command =
                new ArrayList<>(List.of(Checkout.root().resolve("scripts/perigee").toString()));
        command.addAll(Arrays.asList(arguments));
        return run(BACK, command);
    }

    private String run(Duration patience, List<String> command)
            throws IOException, InterruptedException {
        var said = Files.createTempFile(output, "command-", ".log");
        var builder =
                new ProcessBuilder(command)
                        .directory(Checkout.root().toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile());
        builder.environment().putAll(secrets);
        builder.environment().put("PERIGEE_BOOTSTRAP", BOOTSTRAP);
        builder.environment().put("PERIGEE_NO_BUILD", "1");
        var process = builder.start();
        process.getOutputStream().close();
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(command + " did not end in " + patience + ": " + text(said));
        }
        if (process.exitValue() != 0) {
            throw new AssertionError(
                    command + " ended with " + process.exitValue() + ": " + text(said));
        }
        return text(said);
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file);
    }

    static String container(String service) {
        return PROJECT + "-" + service + "-1";
    }

    /** What the engine knows of a service's container. */
    JsonNode inspect(String service) throws IOException, InterruptedException {
        return new JsonMapper().readTree(docker("inspect", container(service))).path(0);
    }

    /** A service's address on one of the file's networks. */
    String address(String service, String network) throws IOException, InterruptedException {
        return inspect(service)
                .path("NetworkSettings")
                .path("Networks")
                .path(PROJECT + "_" + network)
                .path("IPAddress")
                .asString();
    }

    /**
     * Kills a service's first process as a fault would: the engine restarts what it did not end.
     */
    void kill(String service) throws IOException, InterruptedException {
        var before = inspect(service).path("State");
        long pid = before.path("Pid").asLong();
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        Awaitility.await(service + " is started again")
                .atMost(BACK)
                .until(() -> inspect(service).at("/State/Pid").asLong() != pid);
    }

    /** Waits until the health check of a service is content. */
    void awaitHealthy(String service) {
        Awaitility.await(service + " is healthy")
                .atMost(BACK)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> health(service).equals("healthy"));
    }

    String health(String service) throws IOException, InterruptedException {
        return inspect(service).at("/State/Health/Status").asString();
    }

    /** Removes all of it, volumes too. */
    String down() throws IOException, InterruptedException {
        return composed(BACK, "down", "--volumes", "--remove-orphans");
    }

    /** Containers and networks that there still are of it. */
    String left() throws IOException, InterruptedException {
        var label = "label=com.docker.compose.project=" + PROJECT;
        return docker("ps", "--all", "--quiet", "--filter", label)
                + docker("network", "ls", "--quiet", "--filter", label)
                + docker("volume", "ls", "--quiet", "--filter", label);
    }

    @Override
    public void close() {
        try {
            Files.writeString(output.resolve("parts.log"), composed(SOON, "logs", "--timestamps"));
            down();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
