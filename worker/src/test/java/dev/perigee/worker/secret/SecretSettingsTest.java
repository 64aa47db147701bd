package dev.perigee.worker.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-13: settings of secrets by reference")
final class SecretSettingsTest {
    private static SecretOptions read(Map<String, String> texts) {
        return SecretSettings.read(SecretSettings.SCHEMA.read(texts));
    }

    @Test
    @DisplayName("are files by default")
    void defaults() {
        assertThat(read(Map.of()))
                .isEqualTo(
                        new SecretOptions(
                                Path.of("/run/secrets/perigee"),
                                null,
                                Duration.ofSeconds(10),
                                4,
                                Duration.ofSeconds(10)));
    }

    @Test
    @DisplayName("take each key; a command counts with its provider only")
    void eachKey() {
        var all =
                Map.of(
                        "secrets.provider", "command",
                        "secrets.directory", "/d",
                        "secrets.command", "/usr/bin/c",
                        "secrets.command-timeout", "1s",
                        "secrets.command-parallel", "2",
                        "secrets.command-reuse", "0");
        assertThat(read(all))
                .isEqualTo(
                        new SecretOptions(
                                Path.of("/d"),
                                Path.of("/usr/bin/c"),
                                Duration.ofSeconds(1),
                                2,
                                Duration.ZERO));
        assertThat(read(Map.of("secrets.command", "/usr/bin/c")).command()).isNull();
    }

    @Test
    @DisplayName("refuse a provider without its command, and relative paths")
    void refused() {
        assertThatThrownBy(() -> read(Map.of("secrets.provider", "command")))
                .hasMessageContaining("secrets.command");
        assertThatThrownBy(() -> read(Map.of("secrets.directory", "relative")))
                .hasMessageContaining("secrets.directory");
    }
}
