package dev.perigee.protocol.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordKeyTest {
    @Test
    void aKeyIsTeamAndUser() {
        assertThat(parse("my-team/u-1")).isEqualTo(new RecordKey("my-team", "u-1"));
        assertThat(parse("t/u")).hasToString("t/u");
    }

    @Test
    void aStarIsEveryUser() {
        assertThat(parse("t/*").isEveryUser()).isTrue();
        assertThat(parse("t/*")).hasToString("t/*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "t", "/u", "t/", "*/u", "t/u/v", "t/\n"})
    void otherFormsAreInvalid(String key) {
        assertThatThrownBy(() -> parse(key)).isInstanceOf(InvalidRecordException.class);
    }

    @Test
    void tooLongAndAbsentAreInvalid() {
        assertThatThrownBy(() -> parse("t/" + "u".repeat(201)))
                .isInstanceOf(InvalidRecordException.class);
        assertThatThrownBy(() -> RecordKey.parse(null)).isInstanceOf(InvalidRecordException.class);
    }

    private static RecordKey parse(String key) {
        return RecordKey.parse(key.getBytes(StandardCharsets.UTF_8));
    }
}
