package dev.perigee.part;

import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that runs one part in the foreground until it is told to end. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class)
public abstract class PartCommand implements Callable<Integer> {
    @Mixin private PartOptions options = new PartOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    /** The configuration keys of the part. */
    protected abstract SettingsSchema schema();

    /** What the command's own options say, as configuration keys. */
    protected abstract Map<String, String> given();

    /**
     * Starts the part and returns when it serves.
     *
     * @throws CliException when it cannot be started
     */
    protected abstract RunningPart start(Settings settings) throws InterruptedException;

    @Override
    public final Integer call() throws InterruptedException {
        var kind = spec.name();
        var settings = options.settings(schema(), given());
        options.foreground(kind, Printer.out(spec)).run(start(settings));
        throw new CliException(ExitCode.FAILED, "The " + kind + " cannot go on, see its log.");
    }
}
