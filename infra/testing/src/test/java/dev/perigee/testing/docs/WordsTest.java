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

    @ParameterizedTest
    @ValueSource(
            strings = {"A=1 b", "a | b", "a > b", "a $(b)", "a \"b\"", "a && b", "a *", "a 'b"})
    void areLeftToAShellOtherwise(String line) {
        assertThat(Words.of(line)).isNull();
    }
}
