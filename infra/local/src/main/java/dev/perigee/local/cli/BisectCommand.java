package dev.perigee.local.cli;

import dev.perigee.local.behaviour.Behaviour;
import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.replay.Bisection;
import dev.perigee.local.replay.PackageVersion;
import dev.perigee.local.replay.ReplayException;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import dev.perigee.protocol.topic.TopicNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Finds what changes between two versions, with one recording. */
@Command(
        name = "bisect",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Find the version that changes behaviour, with one recording.",
        description = {
            "Replays a recording with two versions and compares what came of it: with two versions"
                    + " of a package (--package, --good, --bad) in one staging fleet, or in two"
                    + " fleets (--second). Of the versions of a package between the two it tries"
                    + " half of what is left each time, until it knows which one changes"
                    + " behaviour.",
            "",
            "Exits 0 when nothing changes, 1 when something does: the calls that change are"
                    + " printed."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee bisect yesterday.recording --to staging:9092 \\",
            "      --package @acme/mcp-server --good 1.4.0 --bad 2.0.0 \\",
            "      --versions 1.4.0,1.5.0,2.0.0",
            "  perigee bisect yesterday.recording --to staging:9092 --second canary:9092"
        })
final class BisectCommand implements Callable<Integer> {
    @Mixin private BisectTrials trials = new BisectTrials();

    @Option(
            names = "--package",
            paramLabel = "NAME",
            description = "A package that servers are started from, as their arguments name it.")
    private @Nullable String name;

    @Option(
            names = "--good",
            paramLabel = "VERSION",
            description = "The version whose behaviour is right.")
    private @Nullable String good;

    @Option(
            names = "--bad",
            paramLabel = "VERSION",
            description = "A later version, whose behaviour is another.")
    private @Nullable String bad;

    @Option(
            names = "--versions",
            paramLabel = "LIST",
            split = ",",
            description =
                    "The versions from the good one to the bad one in their order, with commas"
                            + " between (default: as 'npm view' has them).")
    private List<String> versions = List.of();

    @Option(
            names = "--second",
            paramLabel = "TARGET",
            description = "Another fleet, to be compared with --to.")
    private @Nullable String second;

    @Option(
            names = "--second-prefix",
            paramLabel = "PREFIX",
            defaultValue = TopicNames.DEFAULT_PREFIX,
            description = "What the topic names of --second begin with (default mcp.).")
    private String secondPrefix = "";

    @Mixin private ComparisonOptions comparison = new ComparisonOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        var err = Printer.err(spec);
        try (var progress = new ReplayProgressLine(err, spec.qualifiedName())) {
            return second == null ? ofPackage(progress) : ofFleets(second, progress);
        } catch (ReplayException e) {
            throw ReplayCommand.explained(e);
        } catch (RecordingException e) {
            throw RecordingFiles.explained(e);
        }
    }

    private int ofFleets(String other, ReplayProgressLine progress) throws InterruptedException {
        if (name != null || good != null || bad != null || !versions.isEmpty()) {
            throw CliException.usage(
                    "--second compares two fleets: leave --package, --good, --bad and --versions"
                            + " out, or leave --second out");
        }
        var to = trials.target();
        var then = ReplayClusters.connection("--second", other, secondPrefix);
        try (var folder = trials.folder()) {
            progress.warn("Replaying into --to");
            var before = trials.observe(folder, "first", to, null, progress);
            progress.warn("Replaying into --second");
            var after = trials.observe(folder, "second", then, null, progress);
            var behaviour = trials.compare(before, after);
            progress.end();
            return ended(behaviour, null, List.of());
        }
    }

    private int ofPackage(ReplayProgressLine progress) throws InterruptedException {
        if (name == null || good == null || bad == null) {
            throw CliException.usage(
                    "Name a --package with its --good and --bad version, or another fleet by"
                            + " --second");
        }
        var named = name;
        var all = versions(named, good, bad);
        var to = trials.target();
        var seen = new HashMap<String, Behaviour>();
        var tried = new ArrayList<Map<String, Object>>();
        try (var folder = trials.folder()) {
            progress.warn(all.size() + " versions; replaying with " + named + "@" + all.getFirst());
            var first = new PackageVersion(named, all.getFirst());
            var before = trials.observe(folder, "good", to, first, progress);
            var found =
                    Bisection.search(
                            all,
                            version -> {
                                progress.warn("Replaying with " + named + "@" + version);
                                var one = new PackageVersion(named, version);
                                var after =
                                        trials.observe(
                                                folder, "try-" + seen.size(), to, one, progress);
                                var behaviour = trials.compare(before, after);
                                seen.put(version, behaviour);
                                tried.add(told(version, behaviour));
                                progress.warn(verdict(named, version, behaviour));
                                return !behaviour.isWell();
                            });
            var shown = found == null ? all.getLast() : found.changed();
            progress.end();
            return ended(Objects.requireNonNull(seen.get(shown)), found, tried);
        }
    }

    private static String verdict(String named, String version, Behaviour behaviour) {
        return named
                + "@"
                + version
                + (behaviour.isWell() ? " is as the good one" : " changes behaviour: ")
                + (behaviour.isWell() ? "" : behaviour.headlines().getFirst());
    }

    private List<String> versions(String named, String from, String to)
            throws InterruptedException {
        if (!PackageVersion.isName(named)) {
            throw CliException.usage("--package '" + named + "' is no name of a package");
        }
        var all =
                versions.isEmpty()
                        ? PublishedVersions.between(named, from, to)
                        : PublishedVersions.narrowed(versions, named, from, to);
        for (var version : all) {
            if (!PackageVersion.isVersion(version)) {
                throw CliException.usage("'" + version + "' is no version");
            }
        }
        if (all.size() < 2) {
            throw CliException.usage("--good and --bad are one version");
        }
        return all;
    }

    private static Map<String, Object> told(String version, Behaviour behaviour) {
        var told = new LinkedHashMap<String, Object>();
        told.put("version", version);
        told.put("well", behaviour.isWell());
        told.put("headlines", behaviour.headlines());
        return told;
    }

    private int ended(
            Behaviour behaviour, Bisection.@Nullable Found found, List<Map<String, Object>> tried) {
        var output = new Output(spec, comparison.format());
        if (output.isJson()) {
            var document = new LinkedHashMap<String, Object>();
            if (found != null) {
                document.put("changed", found.changed());
                document.put("last_same", found.last());
            }
            document.put("tried", tried);
            document.put("behaviour", BehaviourOutput.document(behaviour));
            output.json(document);
        } else {
            if (found != null) {
                output.line(
                        name
                                + "@"
                                + found.changed()
                                + " changes behaviour, "
                                + found.last()
                                + " does not:");
                output.line("");
            }
            BehaviourOutput.print(behaviour, output, Printer.err(spec), spec.qualifiedName());
        }
        BehaviourOutput.write(behaviour, comparison.report());
        return behaviour.isWell() ? ExitCode.OK : ExitCode.FAILED;
    }
}
