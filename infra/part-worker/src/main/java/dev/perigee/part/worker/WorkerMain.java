package dev.perigee.part.worker;

import dev.perigee.part.CommandTree;
import dev.perigee.part.Failures;
import dev.perigee.part.Logging;
import dev.perigee.part.Version;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Entry point of a worker that is installed by itself: the same commands as of {@code perigee}, on
 * the worker's own jars.
 */
@Command(
        name = "perigee",
        header = "Runs a worker.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class WorkerMain implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(WorkerCommand.class);

    @Spec private CommandSpec spec = CommandSpec.create();

    /** Runs one command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        Logging.configure(arguments);
        var tree = CommandTree.of(new WorkerMain(), COMMANDS, Failures::execution);
        System.exit(tree.execute(arguments));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Which command? There are " + String.join(", ", spec.subcommands().keySet()));
    }
}
