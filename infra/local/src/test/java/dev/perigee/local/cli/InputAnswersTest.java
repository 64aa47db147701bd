package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.RawJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("CAL-04: what a server asks is answered on the command line")
final class InputAnswersTest {
    private static final String FORM =
            "{\"q\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Which room?\","
                    + "\"requestedSchema\":{\"properties\":{\"room\":{\"type\":\"string\"},\"beds\":{\"type\":\"integer\"},"
                    + "\"quiet\":{\"type\":\"boolean\",\"default\":true},\"price\":{\"type\":\"number\"},"
                    + "\"with\":{\"type\":\"array\"}}}}}}";

    private final List<String> shown = new ArrayList<>();

    private static CallInputRequired question(String requests) {
        return new CallInputRequired("r", null, "i", RawJson.of(requests), Instant.EPOCH);
    }

    private String prompted(String requests, String typed) {
        var prompt = new InputPrompt(new BufferedReader(new StringReader(typed)), shown::add);
        return Objects.requireNonNull(prompt.answer(question(requests))).text();
    }

    @Test
    @DisplayName("by a person: each field as its type")
    void form() {
        assertThat(prompted(FORM, "y\nblue\n2\n\ncheap\ntv, desk\n"))
                .isEqualTo(
                        "{\"q\":{\"action\":\"accept\",\"content\":{\"room\":\"blue\",\"beds\":2,"
                                + "\"quiet\":true,\"price\":\"cheap\",\"with\":[\"tv\",\"desk\"]}}}");
        assertThat(shown.getFirst()).isEqualTo("The server asks: Which room?");
    }

    @Test
    @DisplayName("by a person who does not want to, or is not there")
    void declines() {
        assertThat(prompted(FORM, "n\n")).isEqualTo("{\"q\":{\"action\":\"decline\"}}");
        assertThat(prompted(FORM, "c\n")).isEqualTo("{\"q\":{\"action\":\"cancel\"}}");
        assertThat(prompted(FORM, "")).isEqualTo("{\"q\":{\"action\":\"cancel\"}}");
    }

    @Test
    @DisplayName("by a person: an address to open, and a model's words")
    void others() {
        var url =
                "{\"q\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"url\":\"https://example.org/\"}}}";
        assertThat(prompted(url, "yes\n")).isEqualTo("{\"q\":{\"action\":\"accept\"}}");
        assertThat(shown).contains("It wants you to open https://example.org/");

        var sampling = "{\"q\":{\"method\":\"sampling/createMessage\",\"params\":{}}}";
        assertThat(prompted(sampling, "red\n"))
                .contains("\"role\":\"assistant\"", "\"text\":\"red\"", "\"model\":");
    }

    @Test
    @DisplayName("by a person, who does not have to read all that a server says")
    void longQuestions() {
        var requests =
                "{\"q\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"%s\"}}}"
                        .formatted("x".repeat(200_000));

        prompted(requests, "n\n");

        assertThat(shown)
                .allMatch(line -> line.length() < 2 * InputPrompt.MOST_CHARACTERS)
                .anyMatch(line -> line.endsWith(" characters more"));
    }

    @Test
    @DisplayName("from a file: its responses in their order, the last one for all that follow")
    void file(@TempDir Path folder) throws IOException {
        var file = Files.writeString(folder.resolve("f"), "[{\"a\":1},{\"a\":2}]");
        var answers = InputFile.read(file, shown::add);

        assertThat(answers.answer(question("{\"x\":{},\"y\":{}}")).text())
                .isEqualTo("{\"x\":{\"a\":1},\"y\":{\"a\":2}}");
        assertThat(answers.answer(question("{\"z\":{}}")).text()).isEqualTo("{\"z\":{\"a\":2}}");
    }

    @Test
    void refusesFilesWithoutResponses(@TempDir Path folder) throws IOException {
        for (var content : List.of("[]", "[1]", "no json", "7")) {
            var file = Files.writeString(folder.resolve("f"), content);
            assertThatThrownBy(() -> InputFile.read(file, shown::add))
                    .isInstanceOf(CliException.class);
        }
        assertThatThrownBy(() -> InputFile.read(folder.resolve("none"), shown::add))
                .isInstanceOf(CliException.class);
    }

    @Test
    @DisplayName("refuses options that do not go together, before anything is sent")
    void refusesOptions(@TempDir Path folder) throws IOException {
        var file = Files.writeString(folder.resolve("f"), "{}").toString();
        for (var options :
                List.of(
                        List.of("--ask", "--answer", file, "a:b"),
                        List.of("--ask", "a:b", "-"),
                        List.of("--input-timeout", "1m", "a:b"),
                        List.of("--ask", "--input-timeout", "0s", "a:b"))) {
            var all = new ArrayList<>(List.of("call", "--team", "t1", "--user", "u1"));
            all.addAll(options);
            assertThat(CliRun.of(all.toArray(String[]::new)).exitCode()).isEqualTo(ExitCode.USAGE);
        }
    }
}
