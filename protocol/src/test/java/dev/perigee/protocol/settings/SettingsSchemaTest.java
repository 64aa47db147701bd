package dev.perigee.protocol.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsSchemaTest {
    private static final Setting<String> TOKEN =
            Setting.required("link.token", SettingType.string(), "The token.").asSecret();

    @Test
    void refusesTwoSettingsOfOneKey() {
        assertThatThrownBy(() -> SettingsSchema.of("part", TOKEN, TOKEN))
                .hasMessageContaining("link.token");
    }

    @Test
    void refusesTwoSettingsOfOneEnvironmentVariable() {
        var other = Setting.optional("link-token", SettingType.string(), "Another.");

        assertThatThrownBy(() -> SettingsSchema.of("part", TOKEN, other))
                .hasMessageContaining("link-token and link.token");
    }

    @Test
    void refusesASettingNamedLikeTheFileOfASecret() {
        var other = Setting.optional("link.token-file", SettingType.path(), "Another.");

        assertThatThrownBy(() -> SettingsSchema.of("part", TOKEN, other))
                .hasMessageContaining("link.token-file");
    }

    @Test
    void refusesADefaultThatDoesNotParse() {
        assertThatThrownBy(() -> Setting.of("a.b", SettingType.bool(), "yes", "A flag."))
                .hasMessage("The default of a.b is not true or false");
    }

    @Test
    void refusesAKeyThatIsNoKey() {
        assertThatThrownBy(() -> Setting.optional("A_b", SettingType.bool(), "A flag."))
                .hasMessageContaining("A_b");
    }

    @Test
    void saysWhatItKnows() {
        var schema = SettingsSchema.of("part", TOKEN, Setting.passThrough("kafka", "Client."));

        assertThat(schema.knows("link.token")).isTrue();
        assertThat(schema.knows("link.token-file")).isTrue();
        assertThat(schema.knows("kafka.linger.ms")).isTrue();
        assertThat(schema.knows("kafka.")).isFalse();
        assertThat(schema.knows("kafka.*")).isFalse();
        assertThat(schema.knows("link.tokens")).isFalse();
        assertThat(schema.isSecret("link.token")).isTrue();
        assertThat(schema.isSecret("link.token-file")).isFalse();
        assertThat(schema.isSecret("kafka.ssl.key.password")).isTrue();
        assertThat(schema.isSecret("link.tokens")).isFalse();
        assertThat(SettingsSchema.variableOf("link.token")).isEqualTo("PERIGEE_LINK_TOKEN");
    }

    @Test
    void findsTheKeyOfAVariable() {
        var schema = SettingsSchema.of("part", TOKEN, Setting.passThrough("kafka", "Client."));

        assertThat(schema.keyOfVariable("PERIGEE_LINK_TOKEN")).isEqualTo("link.token");
        assertThat(schema.keyOfVariable("PERIGEE_LINK_TOKEN_FILE")).isEqualTo("link.token-file");
        assertThat(schema.keyOfVariable("PERIGEE_KAFKA_LINGER_MS")).isEqualTo("kafka.linger.ms");
        assertThat(schema.keyOfVariable("PERIGEE_KAFKA_")).isNull();
        assertThat(schema.keyOfVariable("PERIGEE_LINK")).isNull();
        assertThat(schema.keyOfVariable("PATH")).isNull();
    }

    @Test
    void findsTheNearestOfSeveralSchemas() {
        var schemas =
                List.of(
                        SettingsSchema.of("one", TOKEN),
                        SettingsSchema.of(
                                "other",
                                Setting.optional("a.flag", SettingType.bool(), "A flag.")));

        assertThat(SettingsSchema.nearest("a.flg", schemas)).isEqualTo("a.flag");
        assertThat(SettingsSchema.nearest("PERIGEE_LINK_TOKN", schemas))
                .isEqualTo("PERIGEE_LINK_TOKEN");
        assertThat(SettingsSchema.nearest("a.flg", List.of())).isNull();
    }

    @Test
    void refusesToReadASettingOfAnotherSchema() {
        var settings = SettingsSchema.of("part").defaults();

        assertThatThrownBy(() -> settings.value(TOKEN)).hasMessageContaining("link.token");
    }

    @Test
    void joinsSchemas() {
        var flag = Setting.of("a.flag", SettingType.bool(), "true", "A flag.");
        var joined =
                SettingsSchema.of("part", flag)
                        .with(SettingsSchema.of("shared", TOKEN).withRule(settings -> "always"));

        assertThat(joined.name()).isEqualTo("part");
        assertThat(joined.settings()).map(Setting::key).containsExactly("a.flag", "link.token");
        assertThatThrownBy(() -> joined.read(Map.of("link.token", "x")))
                .hasMessageContaining("always");
    }
}
