package dev.perigee.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.audit.ActionRole;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConsoleTokensTest {
    private static final String TOKEN = "0123456789abcdef";

    @Test
    void knowsWhoseATokenIs() {
        var tokens =
                Objects.requireNonNull(
                        ConsoleTokens.parse(
                                "# ours\n alice operate "
                                        + TOKEN
                                        + "\n\nbob admin "
                                        + TOKEN
                                        + "b"));

        assertThat(tokens.person("Bearer " + TOKEN))
                .isEqualTo(new Person("alice", ActionRole.OPERATE));
        assertThat(tokens.person("bearer " + TOKEN + "b"))
                .isEqualTo(new Person("bob", ActionRole.ADMIN));
        assertThat(tokens.person("Bearer " + TOKEN + "c")).isNull();
        assertThat(tokens.person(TOKEN)).isNull();
        assertThat(tokens.person(null)).isNull();
        assertThat(tokens.toString()).doesNotContain(TOKEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "# nobody",
                "alice operate",
                "alice owner 0123456789abcdef",
                "alice operate short",
                "ali<ce operate 0123456789abcdef",
                "alice operate 0123456789abcdef more",
                "alice operate 0123456789abcdef\nalice read 0123456789abcdefg",
                "alice operate 0123456789abcdef\nbob read 0123456789abcdef"
            })
    void refusesWhatIsNone(String text) {
        assertThat(ConsoleTokens.parse(text)).isNull();
    }
}
