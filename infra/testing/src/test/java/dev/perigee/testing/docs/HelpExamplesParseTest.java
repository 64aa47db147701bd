package dev.perigee.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.perigee.local.cli.Perigee;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;

/** Reads every example as far as its options; HelpExamplesTest runs them, which takes minutes. */
@DisplayName("Every example of every --help is understood")
final class HelpExamplesParseTest {

    /** The words of perigee, which a shell sees before anything that is its own. */
    private static final Pattern COMMAND =
            Pattern.compile("(?:^|\\s)perigee ((?:(?! (?:&&|[|<]|>>?) ).|\\n)*)");

    @TestFactory
    Stream<DynamicTest> examples() {
        var nowhere = new PrintWriter(new StringWriter());
        var all = HelpExample.of(Perigee.commandLine(nowhere, nowhere));
        assertThat(all).hasSizeGreaterThan(40);
        return all.stream()
                .map(
                        example ->
                                dynamicTest(
                                        example.toString(),
                                        () ->
                                                assertThat(parse(example.line()).errors())
                                                        .isEmpty()));
    }

    private static CommandLine.ParseResult parse(String line) {
        var nowhere = new PrintWriter(new StringWriter());
        return Perigee.commandLine(nowhere, nowhere).parseArgs(words(line).toArray(String[]::new));
    }

    private static List<String> words(String line) {
        var found = COMMAND.matcher(line);
        assertThat(found.find()).as(line).isTrue();
        var words = Words.of(found.group(1).replace(" ~/", " /home/user/"));
        assertThat(words).as(line).isNotNull().isNotEmpty();
        return words;
    }
}
