package dev.perigee.local.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("OPS-16: perigee completion")
final class CompletionCommandTest {
    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "perigee stat, status",
        "perigee dead-letters sh, show",
        "perigee status --wa, --watch",
        "perigee top --serv, --servers"
    })
    @DisplayName("lets bash complete commands, options and their values")
    void completesInBash(String typed, String completed) throws Exception {
        var script = directory.resolve("completion");
        Files.writeString(script, CliRun.of("completion", "bash").out());
        var words = typed.split(" ");
        var question =
                "source '%s'; COMP_WORDS=(%s); COMP_CWORD=%d; _complete_perigee; printf '%%s\\n' \"${COMPREPLY[@]}\""
                        .formatted(script, typed, words.length - 1);
        var bash =
                new ProcessBuilder("bash", "--norc", "-c", question)
                        .redirectErrorStream(true)
                        .start();
        bash.getOutputStream().close();
        var said = new String(bash.getInputStream().readAllBytes(), UTF_8);

        assertThat(bash.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(said.lines()).contains(completed);
    }

    @Test
    @DisplayName("lists commands and options for fish, quoted, nothing that is hidden")
    void completesInFish() {
        var script = CliRun.of("completion", "fish").out();

        assertThat(script.lines())
                .allMatch(line -> line.startsWith("complete -c perigee "))
                .contains(
                        "complete -c perigee -n '__fish_seen_subcommand_from status' -s w -l watch -d 'Go on with every change, until interrupted.'")
                .anyMatch(line -> line.contains(" -a status -d 'Show the status of every"))
                .anyMatch(
                        line ->
                                line.contains(
                                        "from dead-letters; and __fish_seen_subcommand_from show"))
                .anyMatch(line -> line.contains("-d 'The team\\'s id.'"))
                .noneMatch(line -> line.contains("reference"));
    }
}
