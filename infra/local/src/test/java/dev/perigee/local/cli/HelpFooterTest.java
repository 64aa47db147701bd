package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** HelpExamplesTest runs the examples; this reads how they are printed. */
@DisplayName("The examples of --help")
final class HelpFooterTest {
    private static final int COLUMNS = 80;
    private static final int NARROW = 55;

    static Stream<String> commands() {
        return names(Perigee.commandLine(nowhere(), nowhere()), "");
    }

    private static Stream<String> names(CommandLine commandLine, String name) {
        return Stream.concat(
                Stream.of(name),
                commandLine.getSubcommands().entrySet().stream()
                        .flatMap(each -> names(each.getValue(), name + each.getKey() + " ")));
    }

    private static PrintWriter nowhere() {
        return new PrintWriter(new StringWriter());
    }

    private static List<String> examples(String command, int columns) {
        var out = new StringWriter();
        var commandLine = Perigee.commandLine(new PrintWriter(out), nowhere());
        commandLine.setUsageHelpAutoWidth(false).setUsageHelpWidth(columns);
        commandLine.execute((command + "--help").split(" "));
        return out.toString()
                .lines()
                .dropWhile(line -> !line.equals("Examples:"))
                .skip(1)
                .takeWhile(line -> !line.isEmpty())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("commands")
    @DisplayName("are within 80 columns, broken by a backslash only, with remarks behind a #")
    void arePasteable(String command) {
        var examples = examples(command, COLUMNS);
        for (int i = 0; i < examples.size(); i++) {
            boolean continues = i > 0 && examples.get(i - 1).endsWith(" \\");
            assertThat(examples.get(i))
                    .hasSizeLessThan(COLUMNS)
                    .doesNotContain("  (")
                    .matches(continues ? "      \\S.*" : "  \\S.*\\bperigee\\b.*|  perigee .*");
        }
        if (!examples.isEmpty()) {
            assertThat(examples.getLast()).doesNotEndWith("\\");
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    @DisplayName("are not broken where the terminal is narrow")
    void areTheSameInANarrowTerminal(String command) {
        assertThat(examples(command, NARROW)).isEqualTo(examples(command, COLUMNS));
    }

    @Test
    @DisplayName("are followed by text that is wrapped")
    void wrapsOtherText() {
        var out = new StringWriter();
        var commandLine = Perigee.commandLine(new PrintWriter(out), nowhere());
        commandLine.setUsageHelpAutoWidth(false).setUsageHelpWidth(COLUMNS);
        commandLine.execute("--help");

        assertThat(out.toString().lines()).allMatch(line -> line.length() <= COLUMNS);
        assertThat(out.toString()).contains("Exit codes: 0 well", "70 bug.");
    }
}
