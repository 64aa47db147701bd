package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.part.Output;
import dev.perigee.part.OutputFormat;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help;

class OutputStylesTest {
    @Test
    void endsAStyleSoThatNoTerminalUnderlinesWhatFollows() {
        var out = new StringWriter();
        var commandLine =
                Perigee.commandLine(new PrintWriter(out), new PrintWriter(out))
                        .setColorScheme(Help.defaultColorScheme(Help.Ansi.ON));
        var output = new Output(commandLine.getCommandSpec(), OutputFormat.TABLE);

        output.table(List.of("A", "B"), List.of(List.of("1", "2")));

        assertThat(out.toString().lines()).containsExactly("\u001b[1mA  B\u001b[0m", "1  2");
    }
}
