package dev.perigee.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WordsTest {

    @Test
    void areSplitAsAShellDoes() {
        assertThat(Words.of("call  a:b '{\"x\": \"y # z\"}' --set k=v '' # exits 2"))
                .isEqualTo(List.of("call", "a:b", "{\"x\": \"y # z\"}", "--set", "k=v", ""));
    }

    @Test
    void goOnInTheNextLine() {
        assertThat(Words.of("drain w \\\n    --admin u"))
                .isEqualTo(List.of("drain", "w", "--admin", "u"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A=1 b",
                "a | b",
                "a > b",
                "a $(b)",
                "a \"b\"",
                "a && b",
                "a *",
                "a 'b",
                "a \\ \n b"
            })
    void areLeftToAShellOtherwise(String line) {
        assertThat(Words.of(line)).isNull();
    }
}
