package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.behaviour.Behaviour;
import dev.perigee.local.behaviour.CompareRules;
import dev.perigee.local.behaviour.CompareRulesFile;
import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.replay.PackageVersion;
import dev.perigee.local.replay.Recorder;
import dev.perigee.local.replay.Replay;
import dev.perigee.local.replay.ReplayJob;
import dev.perigee.local.replay.ReplayJob.From;
import dev.perigee.local.replay.Rules;
import dev.perigee.local.replay.RulesFile;
import dev.perigee.local.replay.Selection;
import dev.perigee.local.replay.Speed;
import dev.perigee.part.CliException;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of one trial of a bisection, and how it is done: a replay, recorded. */
final class BisectTrials {
    /** How far clocks may be apart. */
    private static final Duration MARGIN = Duration.ofMinutes(10);

    @Parameters(paramLabel = "FILE", description = "A file that 'recording make' wrote.")
    private Path file = Path.of("");

    @Option(
            names = "--to",
            required = true,
            paramLabel = "TARGET",
            description =
                    "The staging fleet: HOST:PORT, or a file of Kafka client properties with"
                            + " bootstrap.servers.")
    private String to = "";

    @Option(
            names = "--to-prefix",
            paramLabel = "PREFIX",
            defaultValue = TopicNames.DEFAULT_PREFIX,
            description = "What the target's topic names begin with (default mcp.).")
    private String toPrefix = "";

    @Mixin private ReplaySelection selection = new ReplaySelection();

    @Option(
            names = "--max-in-flight",
            paramLabel = "NUMBER",
            defaultValue = "16",
            description = "How many requests each user has unanswered at most (default 16).")
    private int maxInFlight;

    @Option(
            names = "--rewrite",
            paramLabel = "FILE",
            description = "YAML rules for teams, secrets and hosts, as of 'perigee replay'.")
    private @Nullable Path rewrite;

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "YAML of what is no difference, as of 'perigee recording compare'.")
    private @Nullable Path rules;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            defaultValue = "60s",
            converter = DurationOption.class,
            description = "How long an answer may take (default 60s).")
    private Duration wait = Duration.ZERO;

    @Option(
            names = "--keep",
            paramLabel = "FOLDER",
            description = "Keep the recording of each trial there.")
    private @Nullable Path keep;

    /** Where recordings of trials are; removed in the end unless the user keeps it. */
    record Folder(Path path, boolean isKept) implements AutoCloseable {
        @Override
        public void close() {
            if (isKept) {
                return;
            }
            try (var files = Files.list(path)) {
                for (var each : files.toList()) {
                    Files.deleteIfExists(each);
                }
                Files.deleteIfExists(path);
            } catch (IOException | UncheckedIOException e) {
                // In the folder for temporary files; the system removes it.
            }
        }
    }

    Folder folder() {
        try {
            return keep == null
                    ? new Folder(Files.createTempDirectory("perigee-bisect-"), false)
                    : new Folder(Files.createDirectories(keep), true);
        } catch (IOException e) {
            throw RecordingException.ofStorage("No folder for recordings: " + e.getMessage());
        }
    }

    KafkaConnection target() {
        return ReplayClusters.connection("--to", to, toPrefix);
    }

    /**
     * Replays the recording and records what comes of it.
     *
     * @param pinned the version of a package, null for what configurations name
     */
    Path observe(
            Folder folder,
            String name,
            KafkaConnection target,
            @Nullable PackageVersion pinned,
            ReplayProgressLine progress)
            throws InterruptedException {
        if (maxInFlight < 1 || maxInFlight > 1_000) {
            throw CliException.usage("--max-in-flight " + maxInFlight + " is not 1 to 1000");
        }
        var clock = InstantSource.system();
        var given = rewrite == null ? Rules.none() : RulesFile.read(rewrite);
        var chosen = selection.orNull(clock);
        var job =
                new ReplayJob(
                        new From.Recording(file),
                        target,
                        (chosen == null ? Selection.all() : chosen).withRequests(),
                        Speed.MAX,
                        maxInFlight,
                        pinned == null ? given : given.withPackage(pinned),
                        new ReplayJob.Mode.Begin(),
                        wait);
        var result = new Replay(job, progress, clock).run();
        if (pinned != null && result.findings().pinnedConfigurations() == 0) {
            throw CliException.usage(
                    "No configuration that was replayed starts its server from the package "
                            + pinned.name());
        }
        var plan = result.plan();
        var recorded = folder.path().resolve(name + ".recording");
        var recorder =
                new Recorder(
                        target,
                        plan.startedAt().minus(MARGIN),
                        null,
                        plan.run(),
                        RecordingFiles.version(),
                        progress::looked,
                        clock);
        recorder.record(recorded);
        return recorded;
    }

    /**
     * Compares two trials.
     *
     * @throws CliException when there is nothing in them, which would look like no difference
     */
    Behaviour compare(Path before, Path after) {
        var given = rules == null ? CompareRules.none() : CompareRulesFile.read(rules);
        var behaviour = Behaviour.of(before, after, given);
        if (behaviour.compared() == 0) {
            throw CliException.usage(
                    "No command and no request was replayed: choose more of the recording");
        }
        return behaviour;
    }
}
