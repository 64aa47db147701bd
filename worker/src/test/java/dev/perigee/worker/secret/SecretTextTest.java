package dev.perigee.worker.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-13: the value of a secret")
final class SecretTextTest {
    private static String of(String text) throws SecretException {
        return SecretText.of("name", text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("is the text without one line end")
    void withoutLineEnd() throws Exception {
        assertThat(of("wörd")).isEqualTo("wörd");
        assertThat(of("wörd\n")).isEqualTo("wörd");
        assertThat(of("wörd\r\n")).isEqualTo("wörd");
        assertThat(of(" two\nlines \n\n")).isEqualTo(" two\nlines \n");
    }

    @Test
    @DisplayName("is refused by its name where no server could use it, and never shown")
    void refused() {
        assertThatThrownBy(() -> of(""))
                .hasMessageContaining("'name'")
                .hasMessageContaining("empty");
        assertThatThrownBy(() -> of("\n")).hasMessageContaining("empty");
        assertThatThrownBy(() -> of("s3c\0ret"))
                .hasMessageContaining("NUL")
                .hasMessageNotContaining("s3c");
        assertThatThrownBy(() -> SecretText.of("name", new byte[] {(byte) 0xff}))
                .hasMessageContaining("UTF-8");
    }

    @Test
    @DisplayName("has 64 KiB at most")
    void largest() throws Exception {
        assertThat(of("x".repeat(SecretText.MAX_BYTES))).hasSize(SecretText.MAX_BYTES);
        assertThatThrownBy(() -> of("x".repeat(SecretText.MAX_BYTES + 1)))
                .isInstanceOf(SecretException.class)
                .hasMessageContaining("64 KiB");
    }
}
