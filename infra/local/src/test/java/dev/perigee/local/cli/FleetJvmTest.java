package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.local.fleet.ServerTrust;
import dev.perigee.part.ReadyLine;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perigee dev} and {@code perigee demo} in JVMs of their own, with all their parts. */
class FleetJvmTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir Path directory;
    private final List<ProcessHandle> seen = new ArrayList<>();
    private String path = System.getenv().getOrDefault("PATH", "");

    @AfterEach
    void killWhatIsLeft() {
        seen.forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void demonstratesTheMainJob() throws Exception {
        var demo = start("demo", "--bundled");

        var lines = demo.inputReader().lines().toList();

        assertThat(demo.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(lines)
                .as(errors())
                .contains(ServerTrust.UNJAILED)
                .anyMatch(line -> line.endsWith("command_received"))
                .anyMatch(line -> line.endsWith("discovering_tools"))
                .anyMatch(line -> line.endsWith("syncing_tools"))
                .anyMatch(line -> line.endsWith("  online"))
                .endsWith("Echo: Hello from Perigee");
        assertThat(demo.exitValue()).isZero();
        assertThat(errors()).isEmpty();
        assertThat(lines).filteredOn(line -> line.startsWith("ready ")).hasSize(3);
        assertThat(partsIn(lines)).noneMatch(ProcessHandle::isAlive);
        assertThat(directory.resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void saysThatAPartDiedAndStopsTheOthersInOrder() throws Exception {
        var dev = start("dev", "--kafka-port", "0");
        var parts = partsIn(firstLines(dev, 3));
        parts.get(1).destroyForcibly();
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(errors()).contains("was ended by signal 9"));

        dev.destroy();

        assertThat(dev.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(dev.exitValue()).isZero();
        assertThat(parts).noneMatch(ProcessHandle::isAlive);
        assertThat(directory.resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void stopsQuietlyWhileItStarts() throws Exception {
        var dev = start("dev", "--kafka-port", "0");
        await().atMost(LONG).until(() -> dev.descendants().count() >= 2); // Others follow soon.

        dev.destroy();

        assertThat(dev.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(dev.exitValue()).isZero();
        assertThat(errors()).isEmpty();
        assertThat(directory.resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void clientsSayNothingBesidesTheirAnswer() throws Exception {
        var status = start("status", "--bootstrap", "no-such-host.invalid:9092");

        assertThat(status.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(status.exitValue()).isEqualTo(69);
        assertThat(errors().lines())
                .singleElement()
                .asString()
                .startsWith("perigee status: No Kafka broker answers");
    }

    @Test
    void refusesASettingOfOnePartBeforeAnythingRuns() throws Exception {
        var dev = start("dev", "--kafka-port", "0", "--set", "link.retention=soon");

        assertThat(dev.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(dev.exitValue()).isEqualTo(1);
        assertThat(errors())
                .contains("link.retention: \"soon\" is not a duration")
                .contains("worker-1 ended with exit code 64 before it was ready");
    }

    @Test
    @DisplayName(
            "TEN-16: dev runs servers unjailed, without bubblewrap, and says so in one line; killed,"
                    + " it leaves no part")
    void saysThatServersAreNotJailed() throws Exception {
        breakJails();
        var dev = start("dev", "--kafka-port", "0");
        var parts = partsIn(firstLines(dev, 3));
        assertThat(parts).as(errors()).hasSize(3).allMatch(ProcessHandle::isAlive);
        await().atMost(LONG)
                .untilAsserted(
                        () -> assertThat(errors()).contains("All parts are ready. Ctrl-C stops"));
        assertThat(errors().lines().filter(line -> line.contains("jail")))
                .containsExactly(ServerTrust.UNJAILED);

        dev.destroyForcibly();

        await().atMost(LONG).until(() -> parts.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    @DisplayName(
            "TEN-16: a worker without a jail that works does not start, and says how to mend it")
    void doesNotStartAWorkerWithoutAJail() throws Exception {
        breakJails();
        var worker =
                start(
                        "worker",
                        "--set=link.token-file=" + Files.writeString(directory.resolve("t"), "t"),
                        "--set=link.listen=127.0.0.1:0",
                        "--set=admin.listen=127.0.0.1:0",
                        "--set=worker.id=unjailed-" + ProcessHandle.current().pid(),
                        "--set=worker.cache-directory=" + directory.resolve("caches"));
        assertThat(worker.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(worker.exitValue()).isEqualTo(1);
        assertThat(errors())
                .contains("bubblewrap does not work on this system", "broken here")
                .contains("set isolation.mode=none if all servers are trusted");
    }

    /** Before the system's own bubblewrap, if there is one, the PATH has one that does not work. */
    private void breakJails() throws Exception {
        var programs = Files.createDirectories(directory.resolve("bin"));
        var file = programs.resolve("bwrap");
        Files.writeString(file, "#!/bin/sh\necho broken here >&2; exit 9\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        path = programs + ":" + path;
    }

    private Process start(String... arguments) throws Exception {
        var temporary = Files.createDirectories(directory.resolve("tmp"));
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:-UsePerfData",
                                "-Djava.io.tmpdir=" + temporary,
                                "-cp",
                                System.getProperty("java.class.path"),
                                Perigee.class.getName()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectError(directory.resolve("err").toFile());
        builder.environment().put("PERIGEE_LOG_LEVEL", "error");
        builder.environment().put("PATH", path);
        builder.environment()
                .put("PERIGEE_BOOTSTRAP", "127.0.0.1:1"); // For clients, not for parts.
        var process = builder.start();
        seen.add(process.toHandle());
        return process;
    }

    private String errors() throws Exception {
        return Files.readString(directory.resolve("err"));
    }

    private static List<String> firstLines(Process process, int count) throws Exception {
        var lines = new ArrayList<String>();
        @SuppressWarnings("resource") // The pipe goes with the process.
        BufferedReader reader = process.inputReader();
        while (lines.size() < count) {
            var line = reader.readLine();
            if (line == null) {
                break;
            }
            lines.add(line);
        }
        return lines;
    }

    private List<ProcessHandle> partsIn(List<String> lines) {
        var parts =
                lines.stream()
                        .map(ReadyLine::parse)
                        .filter(line -> line != null)
                        .flatMap(line -> ProcessHandle.of(line.pid()).stream())
                        .toList();
        seen.addAll(parts);
        return parts;
    }
}
