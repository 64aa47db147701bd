package dev.perigee.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import org.junit.jupiter.api.Test;

final class TextTest {
    @Test
    void leavesShortTextAlone() {
        assertThat(Text.cut("abc", 3)).isEqualTo("abc");
        assertThat(Text.cut(RawJson.of("{\"a\":1}"))).isEqualTo("{\"a\":1}");
    }

    @Test
    void cutsBetweenCharacters() {
        assertThat(Text.cut("ab😀", 3)).isEqualTo("ab… (4 characters)");
        for (int shift = 0; shift < 4; shift++) {
            var json = RawJson.of("\"" + "x".repeat(shift) + "😀".repeat(2000) + "\"");
            assertThat(Text.cut(json)).doesNotContain("\uFFFD").hasSizeLessThan(2100);
        }
    }

    @Test
    void readsWhereARecordStands() {
        assertThat(RecordId.parse("a-b/7/12")).isEqualTo(new RecordId(7, 12));
        assertThat(RecordId.parse("mcp.commands-3@9/result")).isNull();
        assertThat(RecordId.parse("nothing")).isNull();
        assertThat(Cursor.parse("abc.12")).isEqualTo(new Cursor("abc", 12));
        assertThat(Cursor.parse("abc.x")).isEqualTo(Cursor.NONE);
    }
}
