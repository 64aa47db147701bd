package dev.perigee.testing.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Its examples take minutes each to run: they are read as far as that. */
@DisplayName("The command of the nemesis")
final class NemesisHelpTest {

    private static void parse(String line) {
        var words = line.strip().split(" ");
        var parsed =
                new CommandLine(new NemesisCommand())
                        .parseArgs(Arrays.copyOfRange(words, 2, words.length));
        assertThat(parsed.errors()).isEmpty();
    }

    @Test
    @DisplayName("has the options of its examples")
    void examples() {
        var examples =
                new CommandLine(new NemesisCommand()).getCommandSpec().usageMessage().footer();
        assertThat(examples)
                .hasSize(3)
                .allMatch(each -> each.strip().startsWith("perigee nemesis"));
        Arrays.stream(examples).forEach(NemesisHelpTest::parse);
    }

    @Test
    @DisplayName("takes what a report says to run it again")
    void again() {
        var shape = new Shape(2, 3, 8, new Times(2.5));
        var plan =
                new SoakPlan(
                        7,
                        Duration.ofSeconds(90),
                        shape,
                        Duration.ofMillis(20),
                        Path.of("somewhere"));
        assertThat(plan.again())
                .isEqualTo(
                        "scripts/perigee nemesis --seed 7 --minutes 1.5 --gateways 2 --workers 3"
                                + " --users 8 --scale 2.5 --pace 20");
        parse(plan.again());
    }

    @Test
    @DisplayName("refuses what makes no run")
    void refuses() {
        for (var wrong :
                new String[] {
                    "--seeds 3", "--seed 1 --seeds 1..2", "--scale 0", "--workers 0", "--pace 0"
                }) {
            var code =
                    new CommandLine(new NemesisCommand())
                            .setErr(new PrintWriter(Writer.nullWriter()))
                            .execute(wrong.split(" "));
            assertThat(code).as(wrong).isEqualTo(CommandLine.ExitCode.USAGE);
        }
    }
}
