package dev.perigee.local.cli;

import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.replay.Recorder;
import dev.perigee.local.replay.ReplayException;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.part.OutputFormat;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Records a time span. */
@Command(
        name = "make",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Record commands, requests, results, catalogues and statuses of a fleet.",
        description = {
            "The cluster is only read. Values of env, headers and query parameters, of fields that"
                    + " sound like a secret's, and whatever has the form of a credential are"
                    + " masked, and so is any of these values wherever else it stands. Of what was"
                    + " before the span the file has the latest configuration of each"
                    + " installation, its tools and its status."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee recording make day.recording --from prod.properties --since 2h",
        })
final class RecordingMakeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "The file to write; there must be none yet.")
    private Path file = Path.of("");

    @Option(
            names = "--from",
            required = true,
            paramLabel = "SOURCE",
            description =
                    "Where to read: HOST:PORT, or a file of Kafka client properties with"
                            + " bootstrap.servers.")
    private String from = "";

    @Option(
            names = "--from-prefix",
            paramLabel = "PREFIX",
            defaultValue = TopicNames.DEFAULT_PREFIX,
            description = "What the source's topic names begin with (default mcp.).")
    private String prefix = "";

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = TimeOption.class,
            description =
                    "Begin of the span: 2026-11-20T10:00:00Z, or 2h for two hours ago (default: all"
                            + " that is there).")
    private @Nullable Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = TimeOption.class,
            description = "End of the span, likewise (default now).")
    private @Nullable Instant until;

    @Option(
            names = "--run",
            paramLabel = "RUN",
            description =
                    "Only commands and requests that this run of 'perigee replay' sent, and what"
                            + " became of them.")
    private @Nullable String run;

    @Option(
            names = "--output",
            paramLabel = "table|json",
            defaultValue = "table",
            description = "How to print: table (default), or one JSON document.")
    private OutputFormat format = OutputFormat.TABLE;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        if (since != null && until != null && !since.isBefore(until)) {
            throw CliException.usage("--since is not before --until: nothing is between them");
        }
        var err = Printer.err(spec);
        try (var progress = new ReplayProgressLine(err, spec.qualifiedName())) {
            var recorder =
                    new Recorder(
                            ReplayClusters.connection("--from", from, prefix),
                            since,
                            until,
                            run,
                            RecordingFiles.version(),
                            progress::looked,
                            InstantSource.system());
            var result = recorder.record(file);
            progress.end();
            print(result);
            return ExitCode.OK;
        } catch (RecordingException e) {
            throw RecordingFiles.explained(e);
        } catch (ReplayException e) {
            throw ReplayCommand.explained(e);
        }
    }

    private void print(Recorder.Result result) {
        var output = new Output(spec, format);
        if (output.isJson()) {
            output.json(result);
            return;
        }
        output.table(
                List.of("TOPIC", "RECORDS"),
                result.counts().entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(each -> List.of(each.getKey(), each.getValue().toString()))
                        .toList());
        output.line(
                "%nWrote %s, %d KiB: %d values masked, %d different secrets; %d records left out as no JSON."
                        .formatted(
                                file,
                                result.bytes() >> 10,
                                result.masked(),
                                result.secrets(),
                                result.unreadable())
                        .strip());
    }
}
