package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LaunchSpecTest {

    @Test
    void showsNeitherArgumentsNorValues() {
        var spec = new LaunchSpec(List.of("node", "--token=hidden"), Map.of("KEY", "hidden"), null);
        assertThat(spec.toString()).contains("node", "KEY").doesNotContain("hidden");
        assertThat(spec.with("MORE", "hidden").toString())
                .contains("KEY", "MORE")
                .doesNotContain("hidden");
    }

    @Test
    void refusesWhatTheSystemWouldMisread() {
        refused(List.of(), Map.of(), "command");
        refused(List.of(""), Map.of(), "command");
        refused(List.of("a", "secret\0"), Map.of(), "NUL");
        refused(List.of("a"), Map.of("A=B", "secret"), "name");
        refused(List.of("a"), Map.of("A", "secret\0"), "A contains");
    }

    private static void refused(
            List<String> command, Map<String, String> environment, String reason) {
        assertThatThrownBy(() -> new LaunchSpec(command, environment, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("secret");
    }
}
