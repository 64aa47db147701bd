package dev.perigee.local.cli;

import dev.perigee.local.behaviour.Behaviour;
import dev.perigee.local.behaviour.CompareRules;
import dev.perigee.local.behaviour.CompareRulesFile;
import dev.perigee.local.recording.RecordingException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares two recordings. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Compare what two recordings show of a fleet's behaviour.",
        description = {
            "Calls and commands that a replay copied are compared with their originals, others with"
                    + " those of the same id: outcomes, errors, results by structure, tools of each"
                    + " server, statuses in the end, how long each tool took. The worst comes"
                    + " first.",
            "",
            "Exits 0 when nothing differs more than the rules allow, 1 otherwise."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  perigee recording compare day.recording day.recording --report replay.html"})
final class RecordingCompareCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FIRST", description = "What behaviour was.")
    private Path before = Path.of("");

    @Parameters(index = "1", paramLabel = "SECOND", description = "What it is now.")
    private Path after = Path.of("");

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "YAML of what is no difference and how many are allowed, docs/replay.md.")
    private @Nullable Path rules;

    @Mixin private ComparisonOptions told = new ComparisonOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        try {
            var behaviour =
                    Behaviour.of(
                            before,
                            after,
                            rules == null ? CompareRules.none() : CompareRulesFile.read(rules));
            print(behaviour);
            BehaviourOutput.write(behaviour, told.report());
            return behaviour.isWell() ? ExitCode.OK : ExitCode.FAILED;
        } catch (RecordingException e) {
            throw RecordingFiles.explained(e);
        }
    }

    private void print(Behaviour behaviour) {
        var output = new Output(spec, told.format());
        if (output.isJson()) {
            output.json(BehaviourOutput.document(behaviour));
        } else {
            BehaviourOutput.print(behaviour, output, Printer.err(spec), spec.qualifiedName());
        }
    }
}
