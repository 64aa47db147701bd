package dev.perigee.local.cli;

import dev.perigee.part.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Looks at records that could not be acted on. */
@Command(
        name = "dead-letters",
        header = "Look at records that could not be acted on.",
        description = "'perigee redrive' puts them back.",
        synopsisSubcommandLabel = "(list | show)",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee dead-letters list --since 1h",
            "  perigee dead-letters list --reason malformed --team t1",
            "  perigee dead-letters show 3@17"
        },
        subcommands = {DeadLettersListCommand.class, DeadLettersShowCommand.class})
final class DeadLettersCommand implements Runnable {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Write list or show");
    }
}
