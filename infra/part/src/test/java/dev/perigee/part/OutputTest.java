package dev.perigee.part;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class OutputTest {
    private final StringWriter written = new StringWriter();

    private List<String> table(List<List<String>> rows) {
        var spec = CommandSpec.create();
        new CommandLine(spec).setOut(new PrintWriter(written, true));
        new Output(spec, OutputFormat.TABLE).table(List.of("NAME", "MESSAGE"), rows);
        return written.toString().lines().toList();
    }

    @Test
    @DisplayName("TEN-18: a very long name widens no column for others, and ends somewhere")
    void longNames() {
        var lines =
                table(
                        List.of(
                                List.of("x".repeat(100_000), "long"),
                                List.of("y".repeat(100), "longer than the column"),
                                List.of("z", "m".repeat(500))));
        assertThat(lines.get(1)).hasSize(256 + 2 + 4).endsWith("x…  long");
        assertThat(lines.get(2)).isEqualTo("y".repeat(100) + "  longer than the column");
        assertThat(lines.get(3)).isEqualTo("z" + " ".repeat(65) + "m".repeat(500));
    }

    @Test
    void columnsAreAligned() {
        assertThat(table(List.of(List.of("abcdef", "one"), List.of("a", "two"))).subList(1, 3))
                .containsExactly("abcdef  one", "a       two");
    }
}
