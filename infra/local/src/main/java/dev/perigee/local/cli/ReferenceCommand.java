package dev.perigee.local.cli;

import dev.perigee.protocol.settings.SettingsReference;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the reference page of all configuration keys, which is kept in docs/reference. */
@Command(
        name = "reference",
        hidden = true,
        mixinStandardHelpOptions = true,
        header = "Print the reference page of all configuration keys.")
final class ReferenceCommand implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    static String page() {
        return SettingsReference.render(List.copyOf(PartSchemas.BY_KIND.values()));
    }

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(page());
        spec.commandLine().getOut().flush();
        return ExitCode.OK;
    }
}
