package dev.perigee.testing.docs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine;

/**
 * An example in the help of a command.
 *
 * @param command whose help it is first in, such as {@code dead-letters list}; empty for the whole
 *     command line's
 * @param line as it is to be pasted
 */
record HelpExample(String command, String line) {
    private static final String INDENT = "  ";

    /** What says something about a line stands behind it. */
    private static final Pattern REMARK = Pattern.compile(" {2,}\\(.*\\)$");

    /** All of a command and of those below it, each line once. */
    static List<HelpExample> of(CommandLine commandLine) {
        var found = new LinkedHashMap<String, HelpExample>();
        collect("", commandLine, found);
        return new ArrayList<>(found.values());
    }

    private static void collect(
            String command, CommandLine commandLine, Map<String, HelpExample> found) {
        for (var text : commandLine.getCommandSpec().usageMessage().footer()) {
            if (text.startsWith(INDENT)) {
                var line = REMARK.matcher(text.formatted().strip()).replaceFirst("");
                found.putIfAbsent(line, new HelpExample(command, line));
            }
        }
        commandLine
                .getSubcommands()
                .forEach((name, each) -> collect((command + " " + name).strip(), each, found));
    }

    /** The first word of the command that the line runs. */
    String runs() {
        return Pattern.compile("\\bperigee ([a-z-]+)")
                .matcher(line)
                .results()
                .map(match -> match.group(1))
                .findFirst()
                .orElse("");
    }

    /** What is made first, what destroys last. */
    static Comparator<HelpExample> by(List<String> order) {
        return Comparator.comparingInt(example -> order.indexOf(example.runs()));
    }

    @Override
    public String toString() {
        return "perigee " + command + (command.isEmpty() ? "" : " ") + "--help: " + line;
    }
}
