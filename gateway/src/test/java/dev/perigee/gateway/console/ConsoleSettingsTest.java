package dev.perigee.gateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.settings.InvalidSettingsException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConsoleSettingsTest {
    @Test
    void isOnAndSmallByDefault() {
        var settings = ConsoleSettings.SCHEMA.defaults();

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
        assertThatThrownBy(() -> ConsoleSettings.SCHEMA.read(Map.of(key, value)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(key);
    }
}
