package dev.perigee.local.cli;

import dev.perigee.part.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Makes and reads recordings. */
@Command(
        name = "recording",
        header = "Keep a time span of a fleet as a file without secrets, and compare two.",
        description = "See docs/replay.md.",
        synopsisSubcommandLabel = "(make | show | compare | serve)",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee recording make today.recording --from prod.properties --since 24h",
            "  perigee recording show today.recording"
        },
        subcommands = {
            RecordingMakeCommand.class,
            RecordingShowCommand.class,
            RecordingCompareCommand.class,
            RecordingServeCommand.class
        })
final class RecordingCommand implements Runnable {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Write make, show, compare or serve");
    }
}
