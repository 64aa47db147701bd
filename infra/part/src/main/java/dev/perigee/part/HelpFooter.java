package dev.perigee.part;

import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;

/** Prints the end of a help: examples as they are to be pasted, so never wrapped; text wrapped. */
public final class HelpFooter implements IHelpSectionRenderer {
    private static final String EXAMPLE = "  ";

    @Override
    public String render(Help help) {
        var usage = help.commandSpec().usageMessage();
        var printed = new StringBuilder();
        for (var line : usage.footer()) {
            if (line.startsWith(EXAMPLE)) {
                printed.append(line).append(System.lineSeparator());
            } else {
                Help.join(
                        help.colorScheme().ansi(),
                        usage.width(),
                        usage.adjustLineBreaksForWideCJKCharacters(),
                        new String[] {line},
                        printed);
            }
        }
        return printed.toString();
    }
}
