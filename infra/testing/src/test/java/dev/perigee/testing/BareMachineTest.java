package dev.perigee.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("DEP-01: scripts/bare")
final class BareMachineTest {
    private static final int CANNOT = 69;
    private static final String LOOK =
            "type -P node npm mvn bash awk find; type -P bwrap curl python3 ps kill git; exit 7";

    @Test
    @DisplayName("finds what README names and what every Debian has, and no other program")
    void hidesPrograms() throws Exception {
        var script = Checkout.root().resolve("scripts/bare").toString();
        var process =
                new ProcessBuilder(List.of(script, "bash", "-c", LOOK))
                        .redirectErrorStream(true)
                        .start();
        process.getOutputStream().close();
        var found = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assumeTrue(process.exitValue() != CANNOT, found);
        assertThat(process.exitValue()).as(found).isEqualTo(7);
        assertThat(found.lines().map(line -> line.replaceAll(".*/", "")))
                .containsExactly("node", "npm", "mvn", "bash", "awk", "find");
    }
}
