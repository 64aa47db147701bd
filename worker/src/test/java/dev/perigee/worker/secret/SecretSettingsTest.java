package dev.perigee.worker.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-13: settings of secrets by reference")
final class SecretSettingsTest {
    private static SecretOptions read(Map<String, String> texts) {
        return SecretSettings.read(SecretSettings.SCHEMA.read(texts));
    }

    @Test
    @DisplayName("are files by default, in an absolute directory")
    void files() {
        assertThat(read(Map.of()))
                .isEqualTo(new SecretOptions(Path.of("/run/secrets/perigee")));
        assertThat(read(Map.of("secrets.provider", "file", "secrets.directory", "/d")))
                .isEqualTo(new SecretOptions(Path.of("/d")));
        assertThatThrownBy(() -> read(Map.of("secrets.directory", "relative")))
                .hasMessageContaining("secrets.directory");
    }
}
