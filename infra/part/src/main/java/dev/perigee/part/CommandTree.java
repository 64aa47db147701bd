package dev.perigee.part;

import java.util.LinkedHashMap;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Command lines that fail, help and read arguments alike. */
public final class CommandTree {
    private CommandTree() {}

    /**
     * A command with its subcommands.
     *
     * @param failures of commands that ran
     */
    public static CommandLine of(
            Object root, Iterable<?> subcommands, IExecutionExceptionHandler failures) {
        var tree = new CommandLine(root);
        subcommands.forEach(tree::addSubcommand);
        tree.setParameterExceptionHandler(Failures::usage)
                .setExecutionExceptionHandler(failures)
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setAbbreviatedOptionsAllowed(false);
        var sections = new LinkedHashMap<>(tree.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, new HelpFooter());
        tree.setHelpSectionMap(sections);
        return tree;
    }
}
