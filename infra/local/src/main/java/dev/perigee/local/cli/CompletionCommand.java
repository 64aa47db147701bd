package dev.perigee.local.cli;

import dev.perigee.part.ExitCode;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what a shell needs to complete commands and options. */
@Command(
        name = "completion",
        header = "Print what bash, zsh or fish needs to complete commands and options.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee completion bash >> ~/.bashrc",
            "  perigee completion zsh >> ~/.zshrc",
            "  perigee completion fish > perigee.fish  # for ~/.config/fish/completions"
        })
final class CompletionCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
    private Shell shell = Shell.bash;

    @Spec private CommandSpec spec = CommandSpec.create();

    /** In lower case, as they are typed. */
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Override
    public Integer call() {
        var tree = Perigee.commandLine();
        var script =
                switch (shell) {
                    case bash, zsh -> AutoComplete.bash("perigee", tree);
                    case fish -> FishCompletion.of("perigee", tree);
                };
        Printer.out(spec).block(script.stripTrailing());
        return ExitCode.OK;
    }
}
