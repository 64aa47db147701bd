package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("perigee dev")
final class DevCommandTest {

    private static final Pattern READY =
            Pattern.compile("^ready ([a-z]+(?:-\\d+)?) pid=(\\d+)", Pattern.MULTILINE);

    @Test
    @DisplayName("starts several gateways and workers, tells where they are, Ctrl-C leaves none")
    void startsAndStops(@TempDir Path folder) throws Exception {
        var marked = new Marked();
        var arguments = List.of("dev", "--workers", "2", "--gateways", "2", "--kafka-port", "0");
        try (var dev = Part.start(folder.resolve("dev.log"), marked.environment(), arguments)) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(90))
                    .untilAsserted(() -> assertThat(ready(dev)).hasSize(5));
            assertThat(ready(dev))
                    .containsExactlyInAnyOrder(
                            "broker", "gateway-1", "gateway-2", "worker-1", "worker-2");
            var pids = READY.matcher(dev.output()).results().map(m -> m.group(2)).toList();
            assertThat(pids)
                    .doesNotHaveDuplicates()
                    .allMatch(pid -> ProcessHandle.of(Long.parseLong(pid)).isPresent());

            dev.signal(interruptIsIgnored() ? "TERM" : "INT");

            assertThat(dev.awaitExit()).isIn(0, 130);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(15))
                    .untilAsserted(() -> assertThat(marked.processes()).isEmpty());
        } finally {
            marked.processes().forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** True when this JVM, and so what it starts, was started in the background of a script. */
    private static boolean interruptIsIgnored() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            var mask = lines.filter(line -> line.startsWith("SigIgn:")).findFirst().orElseThrow();
            return (Long.parseUnsignedLong(mask.substring(7).strip(), 16) & 2) != 0;
        }
    }

    private static List<String> ready(Part dev) {
        return READY.matcher(dev.output()).results().map(match -> match.group(1)).toList();
    }
}
