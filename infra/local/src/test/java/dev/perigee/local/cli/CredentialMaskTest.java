package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialMaskTest {
    @ParameterizedTest
    @DisplayName("What may be a secret in a dead letter is masked")
    @ValueSource(
            strings = {
                "{\"config\":{\"env\":{\"HOME_PAGE\":\"hide-me\"}}}",
                "{\"config\":{\"headers\":{\"X-Any\":\"hide-me\"}}}",
                "{\"url_query_params\":{\"q\":\"hide-me\"}}",
                "{\"secret_metadata\":{\"deep\":[{\"er\":\"hide-me\"}]}}",
                "{\"password\":\"hide-me\"}",
                "{\"apiKey\":{\"value\":\"hide-me\"}}",
                "{\"args\":[\"--api-key=hide-me\"]}",
                "{\"args\":[\"--token\",\"hide-me\"]}",
                "{\"args\":[\"GITHUB_TOKEN=hide-me\"]}",
                "{\"args\":[\"--header\",\"Authorization: Bearer hide-me\"]}",
                "{\"args\":[\"-H\",\"X-Any: hide-me\"]}",
                "{\"args\":[\"alice:hide-me@host\"]}",
                "{\"args\":[\"--config={\\\"token\\\":\\\"hide-me\\\"}\"]}",
                "{\"url\":\"https://user:hide-me@host/path\"}",
                "{\"url\":\"https://host/path?x=hide-me&y=1\"}",
            })
    void hidesWhatMayBeASecret(String value) {
        assertThat(masked(value)).doesNotContain("hide-me").contains("***");
    }

    @Test
    void showsTheRest() {
        var value =
                "{\"id\":\"c\",\"args\":[\"-y\",\"name=x\"],\"n\":1,\"url\":\"https://host/path\","
                        + "\"empty\":null,\"env\":{\"A\":null}}";

        assertThat(masked(value)).isEqualTo(value);
    }

    @Test
    void cannotTellInWhatIsNoJson() {
        assertThat(CredentialMask.masked("{\"password\": broken".getBytes(StandardCharsets.UTF_8)))
                .isNull();
        assertThat(CredentialMask.masked(new byte[0])).isNull();
    }

    private static String masked(String value) {
        return String.valueOf(CredentialMask.masked(value.getBytes(StandardCharsets.UTF_8)));
    }
}
