package dev.perigee.protocol.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SettingsReferenceTest {
    @Test
    void rendersEverySetting() {
        var schema =
                SettingsSchema.of(
                        "worker",
                        Setting.of("a.time", SettingType.duration(), "30s", "A | B."),
                        Setting.required("a.token", SettingType.string(), "The token.").asSecret(),
                        Setting.optional("a.flag", SettingType.bool(), "A flag."),
                        Setting.passThrough("kafka", "For the client."));

        assertThat(SettingsReference.render(List.of(schema)))
                .contains(
                        """
                        ## worker

                        | key | default | environment variable | value | meaning |
                        |---|---|---|---|---|
                        | `a.time` | `30s` | `PERIGEE_A_TIME` | a duration such as 500ms, 30s or 5m | A \\| B. |
                        | `a.token` | required | `PERIGEE_A_TOKEN` | a string (secret) | The token. |
                        | `a.flag` | none | `PERIGEE_A_FLAG` | true or false | A flag. |
                        | `kafka.*` | empty | `PERIGEE_KAFKA_*` | any string (secret) | For the client. |
                        """);
    }
}
