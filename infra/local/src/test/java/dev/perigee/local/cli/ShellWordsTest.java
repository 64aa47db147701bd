package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.part.CliException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("OPS-16: words of a line of perigee shell")
final class ShellWordsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "call  a:b\t{}        | call,a:b,{}",
                "a '{\"x\": \"y z\"}'    | a,{\"x\": \"y z\"}",
                "a \"{\\\"x\\\":1}\"      | a,{\"x\":1}",
                "a \"b\\n\" '\\n' \\n    | a,b\\n,\\n,n",
                "a b\\ c\\'d x''y\"z\"  | a,b c'd,xyz",
                "a '' b             | a,,b",
                "a b#c  # remark    | a,b#c",
                "$HOME *;rm $(x)    | $HOME,*;rm,$(x)"
            })
    void splits(String line, String words) {
        assertThat(String.join(",", ShellWords.of(line))).isEqualTo(words);
    }

    @Test
    void hasNoneWhereThereAreNone() {
        assertThat(ShellWords.of("  # nothing but a remark")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a 'b", "a \"b\\\"", "a \\"})
    void refusesWhatDoesNotEnd(String line) {
        assertThatThrownBy(() -> ShellWords.of(line)).isInstanceOf(CliException.class);
    }
}
