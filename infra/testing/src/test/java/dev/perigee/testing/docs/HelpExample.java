package dev.perigee.testing.docs;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine;

/**
 * An example in the help of a command, as it is printed.
 *
 * @param command whose help it is first in, such as {@code dead-letters list}; empty for the whole
 *     command line's
 * @param line as it is to be pasted: with a remark behind it, and of several lines where all but
 *     the last end in a backslash
 */
record HelpExample(String command, String line) {
    private static final String HEADING = "Examples:";
    private static final String CONTINUED = "\\";
    private static final String REMARK = "  #";

    /** What a pipe has. */
    private static final int COLUMNS = 80;

    /** All of a command and of those below it, each line once. */
    static List<HelpExample> of(CommandLine commandLine) {
        commandLine.setUsageHelpAutoWidth(false).setUsageHelpWidth(COLUMNS);
        var found = new LinkedHashMap<String, HelpExample>();
        collect("", commandLine, found);
        return new ArrayList<>(found.values());
    }

    private static void collect(
            String command, CommandLine commandLine, Map<String, HelpExample> found) {
        var printed = new StringWriter();
        commandLine.usage(new PrintWriter(printed), CommandLine.Help.Ansi.OFF);
        var line = new StringBuilder();
        for (var each : examples(printed.toString())) {
            line.append(each.strip());
            if (each.endsWith(CONTINUED)) {
                line.append('\n');
            } else {
                found.putIfAbsent(line.toString(), new HelpExample(command, line.toString()));
                line.setLength(0);
            }
        }
        commandLine
                .getSubcommands()
                .forEach((name, each) -> collect((command + " " + name).strip(), each, found));
    }

    private static List<String> examples(String help) {
        return help.lines()
                .dropWhile(line -> !line.equals(HEADING))
                .skip(1)
                .takeWhile(line -> !line.isEmpty())
                .toList();
    }

    /** A line with more words, which stand before a remark. */
    static String with(String words, String line) {
        int end = line.indexOf(REMARK);
        return end < 0 ? line + words : line.substring(0, end) + words + line.substring(end);
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
