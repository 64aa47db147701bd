package dev.perigee.protocol.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Text of others in spans")
final class SpanTextTest {
    @Test
    @DisplayName("stays as it is where it is short and visible")
    void plain() {
        assertThat(SpanText.of("get-weather, gr\u00fc\u00dfe \ud83d\ude00"))
                .isEqualTo("get-weather, gr\u00fc\u00dfe \ud83d\ude00");
    }

    @Test
    @DisplayName("is cut, also in the middle of a pair")
    void bounded() {
        assertThat(SpanText.of("x".repeat(10_000))).isEqualTo("x".repeat(SpanText.LONGEST));
        var pair = "x".repeat(SpanText.LONGEST - 1) + "\ud83d\ude00";
        assertThat(SpanText.of(pair)).isEqualTo("x".repeat(SpanText.LONGEST - 1) + "?");
    }

    @Test
    @DisplayName("has no character that changes a line, a terminal or the direction")
    void inert() {
        assertThat(SpanText.of("a\nb\u001b[31m\u202ec\ud83dd\u2028")).isEqualTo("a?b?[31m?c?d?");
    }
}
