package dev.perigee.part;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VisibleTextTest {
    @Test
    @DisplayName("TEN-18: each control, escape and bidi character is shown as its number")
    void writesWhatATerminalObeysAsItsNumber() {
        for (var range :
                new int[][] {
                    {0x00, 0x1F}, {0x7F, 0x9F}, {0x200B, 0x200B}, {0x200E, 0x200F},
                    {0x2028, 0x202E}, {0x2060, 0x2064}, {0x2066, 0x206F}, {0x061C, 0x061C},
                    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xD800, 0xDFFF}, {0xAD, 0xAD}
                }) {
            for (int each = range[0]; each <= range[1]; each++) {
                var shown = VisibleText.line("a" + (char) each + "z");
                assertThat(shown)
                        .as("U+%04X", each)
                        .matches("a\\\\([nrt]|u[0-9a-f]{4})z")
                        .endsWith(
                                switch (each) {
                                    case '\n' -> "\\nz";
                                    case '\r' -> "\\rz";
                                    case '\t' -> "\\tz";
                                    default -> "\\u%04xz".formatted(each);
                                });
            }
        }
        assertThat(VisibleText.line("\uDB40\uDC41")).isEqualTo("\\udb40\\udc41");
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x2800, 0x3164, 0xFFA0, 0xFFF8,
                0x1D159, 0xE0FFF
            })
    @DisplayName("TEN-18: what is drawn as nothing is shown as its number")
    void writesWhatIsNotDrawn(int character) {
        assertThat(VisibleText.line("a" + Character.toString(character) + "z"))
                .matches("a(\\\\u[0-9a-f]{4}){1,2}z");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain {\"json\": [1]} C:\\users ~",
                "Grüße, 世界, 한글 ㅎㅏㄴ ｶﾅ, שלום, مرحبا, नमस्ते, Việt",
                "👩‍💻 🏳️‍🌈 می‌خواهم",
                " between → and …"
            })
    void leavesWhatIsText(String text) {
        assertThat(VisibleText.line(text)).isEqualTo(text);
        assertThat(VisibleText.block(text)).isEqualTo(text);
        assertThat(VisibleText.json(text)).isEqualTo(text);
    }

    @Test
    void keepsTheLayoutOfABlockOnly() {
        assertThat(VisibleText.block("a\r\n\tb\rc\u001b")).isEqualTo("a\n\tb\\rc\\u001b");
        assertThat(VisibleText.line("a\n\tb")).isEqualTo("a\\n\\tb");
        assertThat(VisibleText.json("{\n\t\"a\": \"\u202e\"\r}"))
                .isEqualTo("{  \"a\": \"\\u202e\" }");
    }

    @Test
    void endsAFloodOfMarks() {
        var mark = "\u0301";
        assertThat(VisibleText.line("e" + mark.repeat(VisibleText.MAX_MARKS) + "e" + mark))
                .doesNotContain("\\");
        assertThat(VisibleText.line("e" + mark.repeat(VisibleText.MAX_MARKS + 2) + "!"))
                .isEqualTo("e" + mark.repeat(VisibleText.MAX_MARKS) + "\\u0301\\u0301!");
    }
}
