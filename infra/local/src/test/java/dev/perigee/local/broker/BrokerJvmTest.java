package dev.perigee.local.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.port.FreePort;
import dev.perigee.part.ReadyLine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perigee broker} in a JVM of its own. */
class BrokerJvmTest {
    @TempDir Path directory;

    @Test
    void keepsRecordsWhenItIsKilled() throws Exception {
        var data = directory.resolve("data").toString();
        var port = FreePort.on("127.0.0.1");
        var killed = start("--data", data, "--port", Integer.toString(port));
        try {
            var bootstrap = ready(killed);
            RoundTrip.createTopic(bootstrap, "kept");
            RoundTrip.produce(bootstrap, "kept", "first");
        } finally {
            killed.destroyForcibly().waitFor();
        }

        var restarted = start("--data", data, "--port", Integer.toString(port));
        try {
            var bootstrap = ready(restarted);
            assertThat(bootstrap).isEqualTo("127.0.0.1:" + port);
            RoundTrip.produce(bootstrap, "kept", "second");
            assertThat(RoundTrip.consume(bootstrap, "kept", 2)).containsExactly("first", "second");
        } finally {
            restarted.destroy();
        }
        assertThat(restarted.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(restarted.exitValue()).isEqualTo(143);
    }

    @Test
    void endsWithItsStandardInputAndRemovesWhatIsTemporary() throws Exception {
        var broker = start("--port", "0", "--end-with-stdin", "--name", "broker-7");
        try {
            assertThat(ready(broker)).startsWith("127.0.0.1:");
            broker.getOutputStream().close();
            assertThat(broker.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            broker.destroyForcibly();
        }
        assertThat(broker.exitValue()).isZero();
        try (var left = Files.list(directory.resolve("tmp"))) {
            assertThat(left).isEmpty();
        }
    }

    private Process start(String... arguments) throws Exception {
        var temporary = Files.createDirectories(directory.resolve("tmp"));
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:-UsePerfData",
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-Djava.io.tmpdir=" + temporary,
                                "-cp",
                                System.getProperty("java.class.path"),
                                "dev.perigee.local.cli.Perigee",
                                "broker"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static String ready(Process process) throws Exception {
        var line = ReadyLine.parse(process.inputReader().readLine());
        assertThat(line).isNotNull();
        assertThat(line.pid()).isEqualTo(process.pid());
        return line.addresses().getOrDefault("kafka", "none");
    }
}
