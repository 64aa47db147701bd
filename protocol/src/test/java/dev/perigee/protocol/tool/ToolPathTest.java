package dev.perigee.protocol.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ToolPathTest {
    @ParameterizedTest
    @DisplayName("STA-17: the slug ends at the first colon or bar")
    @CsvSource({
        "everything:echo, everything, echo",
        "srv:ns:tool, srv, ns:tool",
        "files|file:///a:b, files, file:///a:b",
    })
    void splits(String path, String slug, String name) {
        assertThat(ToolPath.parse(path)).isEqualTo(new ToolPath(slug, name));
    }

    @Test
    void aBareSlugHasNoName() {
        assertThat(ToolPath.parse("everything")).isEqualTo(new ToolPath("everything", null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ":echo", "slug:", "|uri"})
    void emptyPartsAreInvalid(String path) {
        assertThatThrownBy(() -> ToolPath.parse(path)).isInstanceOf(InvalidRecordException.class);
    }
}
