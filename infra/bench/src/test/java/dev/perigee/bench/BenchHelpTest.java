package dev.perigee.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Its examples take minutes each to run: they are read as far as that. */
@DisplayName("The examples of bench --help")
final class BenchHelpTest {

    @Test
    @DisplayName("have no option or section that there is not")
    void areTaken() {
        var commandLine = new CommandLine(new Bench()).setCaseInsensitiveEnumValuesAllowed(true);
        var examples = commandLine.getCommandSpec().usageMessage().footer();
        assertThat(examples).hasSize(3);
        for (var example : examples) {
            var words = example.strip().split(" ");
            assertThat(words).startsWith("perigee", "bench");
            var parsed = commandLine.parseArgs(Arrays.copyOfRange(words, 2, words.length));
            assertThat(parsed.errors()).isEmpty();
        }
    }
}
