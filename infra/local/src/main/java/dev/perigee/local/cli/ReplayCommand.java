package dev.perigee.local.cli;

import dev.perigee.local.recording.OwnFile;
import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.replay.HtmlReport;
import dev.perigee.local.replay.Replay;
import dev.perigee.local.replay.ReplayException;
import dev.perigee.local.replay.ReplayJob;
import dev.perigee.local.replay.ReplayJob.Mode;
import dev.perigee.local.replay.ReplayResult;
import dev.perigee.local.replay.Rules;
import dev.perigee.local.replay.RulesFile;
import dev.perigee.local.replay.Speed;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.part.OutputFormat;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Copies the commands of one fleet to another and compares what becomes of them. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Copy the commands of a cluster or recording into another cluster, and compare.",
        description = {
            "Commands keep their order by key and their distance in time, their expiry moves along,"
                    + " secrets are masked unless --rewrite maps them. The source is only read."
                    + " What was sent and how far the run came is committed together, so that"
                    + " --resume sends nothing twice.",
            "",
            "Exits 0 when all came out the same, 1 when something differs or the run broke off."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee replay --from prod.properties --to staging:9092 --since 2h \\",
            "      --dry-run",
            "  perigee replay --from prod.properties --to staging:9092 --since 2h \\",
            "      --speed 10 --rewrite rules.yaml --report replay.html",
            "  perigee replay --from prod.properties --to staging:9092 \\",
            "      --rewrite rules.yaml --resume",
            "  perigee replay --from yesterday.recording --to staging:9092 --speed max"
        })
final class ReplayCommand implements Callable<Integer> {
    @Mixin private ReplayClusters clusters = new ReplayClusters();
    @Mixin private ReplaySelection selection = new ReplaySelection();

    @Option(
            names = "--speed",
            paramLabel = "NUMBER|max",
            defaultValue = "1",
            description =
                    "How many times as fast as the records came (default 1), or as fast as the"
                            + " target takes them.")
    private String speed = "";

    @Option(
            names = "--max-in-flight",
            paramLabel = "NUMBER",
            defaultValue = "16",
            description =
                    "With --speed max: how many requests each user has unanswered at most (default"
                            + " 16, up to 1000). What is not answered within --wait counts no"
                            + " more.")
    private int maxInFlight;

    @Option(
            names = "--rewrite",
            paramLabel = "FILE",
            description = "YAML rules for teams, secrets and hosts, see docs/replay.md.")
    private @Nullable Path rules;

    @Option(
            names = "--recorded-servers",
            paramLabel = "URL",
            description =
                    "Where 'perigee recording serve' serves, as the target's workers reach it: the"
                            + " servers answer from the recording and do nothing.")
    private @Nullable URI recorded;

    @Option(names = "--dry-run", description = "Read and tell what would be sent; send nothing.")
    private boolean dryRun;

    @Option(
            names = "--resume",
            arity = "0..1",
            fallbackValue = "",
            paramLabel = "RUN",
            description = "Go on with an interrupted run: the latest, or the one named.")
    private @Nullable String resume;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            defaultValue = "60s",
            converter = DurationOption.class,
            description = "How long results may take after the last record was sent (default 60s).")
    private Duration wait = Duration.ZERO;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write the comparison as an HTML page, too.")
    private @Nullable Path report;

    @Option(
            names = "--output",
            paramLabel = "table|json",
            defaultValue = "table",
            description = "How to print: table (default), or one JSON document per line.")
    private OutputFormat format = OutputFormat.TABLE;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        if (dryRun && (resume != null || report != null)) {
            throw CliException.usage(
                    "--dry-run sends nothing: there is nothing to --resume or to --report");
        }
        var err = Printer.err(spec);
        try (var progress = new ReplayProgressLine(err, spec.qualifiedName())) {
            var job =
                    new ReplayJob(
                            clusters.source(),
                            clusters.target(),
                            selection.orNull(InstantSource.system()),
                            speed(),
                            maxInFlight(),
                            rules(),
                            mode(),
                            wait);
            var result = new Replay(job, progress, InstantSource.system()).run();
            progress.end();
            return print(result);
        } catch (ReplayException e) {
            throw explained(e);
        } catch (RecordingException e) {
            throw RecordingFiles.explained(e);
        }
    }

    static CliException explained(ReplayException failure) {
        return new CliException(
                switch (failure.kind()) {
                    case USAGE -> ExitCode.USAGE;
                    case UNAVAILABLE -> ExitCode.UNAVAILABLE;
                    case FAILED -> ExitCode.FAILED;
                },
                String.valueOf(failure.getMessage()));
    }

    private Rules rules() {
        var given = rules == null ? Rules.none() : RulesFile.read(rules);
        if (recorded == null) {
            return given;
        }
        if (!"http".equals(recorded.getScheme()) || recorded.getHost() == null) {
            throw CliException.usage(
                    "--recorded-servers '" + recorded + "' is no address: write http://HOST:PORT");
        }
        return given.withRecordedServers(recorded.toString().replaceAll("/+$", ""));
    }

    private Mode mode() {
        if (dryRun) {
            return new Mode.DryRun();
        }
        if (resume == null) {
            return new Mode.Begin();
        }
        return new Mode.Resume(resume.isEmpty() ? null : resume);
    }

    private int maxInFlight() {
        if (maxInFlight < 1 || maxInFlight > 1_000) {
            throw CliException.usage("--max-in-flight " + maxInFlight + " is not 1 to 1000");
        }
        return maxInFlight;
    }

    private Speed speed() {
        if (speed.equals("max")) {
            return Speed.MAX;
        }
        try {
            return new Speed(Double.valueOf(speed));
        } catch (IllegalArgumentException e) {
            throw CliException.usage("--speed '" + speed + "' is neither max nor more than 0");
        }
    }

    private int print(ReplayResult result) {
        var output = new Output(spec, format);
        var printed = new ReplayReport(output);
        var comparison = result.comparison();
        if (comparison == null) {
            printed.dryRun(result);
            return ExitCode.OK;
        }
        printed.ended(result, comparison);
        if (report != null) {
            try {
                OwnFile.replace(report, HtmlReport.of(result, comparison));
            } catch (IOException e) {
                throw CliException.usage("--report " + report + " cannot be written");
            }
        }
        return comparison.differences() == 0 ? ExitCode.OK : ExitCode.FAILED;
    }
}
