package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.part.CliException;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.SettingsSchema;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FleetSettingsTest {
    private static final List<SettingsSchema> SCHEMAS =
            List.of(
                    SettingsSchema.of(
                            "one", Setting.optional("link.token", SettingType.string(), "Token.")),
                    SettingsSchema.of("other", Setting.passThrough("kafka", "Client.")));

    @Test
    void takesWhatSomePartKnows() {
        assertThat(FleetSettings.parse(List.of("link.token=a=b", "kafka.linger.ms=0"), SCHEMAS))
                .isEqualTo(Map.of("link.token", "a=b", "kafka.linger.ms", "0"));
    }

    @Test
    void refusesWhatNoPartKnows() {
        assertThatThrownBy(() -> FleetSettings.parse(List.of("link.tokn=x"), SCHEMAS))
                .isInstanceOf(CliException.class)
                .hasMessageContaining("link.tokn", "link.token", "--set");
        assertThatThrownBy(() -> FleetSettings.parse(List.of("link.token"), SCHEMAS))
                .hasMessageContaining("key=value");
    }

    @Test
    void refusesAVariableThatNoPartKnows() {
        assertThatCode(
                        () ->
                                FleetSettings.check(
                                        Set.of("PATH", "PERIGEE_LOG_LEVEL", "PERIGEE_LINK_TOKEN"),
                                        SCHEMAS))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> FleetSettings.check(Set.of("PERIGEE_LINK_TOKN"), SCHEMAS))
                .hasMessageContaining("the nearest is PERIGEE_LINK_TOKEN");
    }
}
