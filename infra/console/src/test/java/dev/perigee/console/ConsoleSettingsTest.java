package dev.perigee.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.settings.InvalidSettingsException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConsoleSettingsTest {
    @Test
    void isOnAndSmallByDefault() {
        var settings = ConsoleSettings.OWN.defaults();

        assertThat(settings.value(ConsoleSettings.ENABLED)).isTrue();
        assertThat(settings.value(ConsoleSettings.HISTORY)).isEqualTo(Duration.ofHours(1));
        assertThat(settings.value(ConsoleSettings.MEMORY)).isEqualTo(32 << 20);
        assertThat(settings.value(ConsoleSettings.VIEWERS)).isEqualTo(16);
        assertThat(settings.value(ConsoleSettings.ROLE)).isEqualTo(ActionRole.READ);
        assertThat(settings.valueOrNull(ConsoleSettings.TOKENS)).isNull();
        assertThat(settings.valueOrNull(ConsoleSettings.WORKER_TOKEN)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "console.role,owner",
        "console.tokens,alice operate short",
        "console.memory,1KiB",
        "console.max-viewers,0",
        "console.history,-1s"
    })
    void refusesWhatCannotWork(String key, String value) {
        assertThatThrownBy(() -> ConsoleSettings.OWN.read(Map.of(key, value)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(key);
    }

    @Test
    void wantsATokenBesideAProvider() {
        var given = new HashMap<String, String>();
        given.put("kafka.bootstrap.servers", "127.0.0.1:9092");
        given.put("workers", "ws://127.0.0.1:7070/link");
        given.put("console.oidc.issuer", "https://id.example");
        given.put("console.oidc.client-id", "perigee");
        given.put("console.oidc.redirect-url", "https://console.example/console/oidc/callback");
        given.put("console.oidc.operate-values", "ops");

        assertThatThrownBy(() -> ConsoleSettings.SCHEMA.read(given))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("console.oidc.issuer needs admin.token");
        given.put("admin.token", "t");
        assertThat(ConsoleSettings.SCHEMA.read(given)).isNotNull();
    }
}
