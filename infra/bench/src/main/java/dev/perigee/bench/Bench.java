package dev.perigee.bench;

import dev.perigee.bench.call.CallPlan;
import dev.perigee.bench.fleet.BenchFleet;
import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.micro.MicroBench;
import dev.perigee.bench.report.BenchProgress;
import dev.perigee.bench.report.Machine;
import dev.perigee.bench.report.Plot;
import dev.perigee.local.cli.Perigee;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The benchmark's command line. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        header = "Measure a fleet beside bare Kafka and a bare pipe, in one run.",
        description =
                "Starts fleets on this machine, measures them and what limits them in turns, for"
                        + " several rounds, and prints medians and spreads. Read the ratios: the"
                        + " absolutes are this machine's. How it is measured, and what came out:"
                        + " docs/performance.md.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee bench --quick",
            "  perigee bench calls --in-flight 1,64 --rounds 3 --output json",
            "  perigee bench --plot bench.svg"
        })
public final class Bench implements Callable<Integer> {
    @Parameters(
            paramLabel = "SECTION",
            arity = "0..*",
            description =
                    "What to measure: ${COMPLETION-CANDIDATES}. All but micro, if none is named.")
    private Set<Section> sections = EnumSet.noneOf(Section.class);

    @Option(
            names = "--quick",
            description =
                    "Less of everything, within three minutes, in JVMs that are not warm yet.")
    private boolean quick;

    @Option(
            names = "--rounds",
            description = "How often each measurement of calls is made (5, with --quick 3).")
    private @Nullable Integer rounds;

    @Option(
            names = "--millis",
            description = "How long each measurement of calls takes (3000, with --quick 500).")
    private @Nullable Integer millis;

    @Option(
            names = "--in-flight",
            split = ",",
            description =
                    "Calls kept in flight, one load after the other (1,16,64,256, with --quick"
                            + " 1,16,64).")
    private @Nullable List<Integer> inFlight;

    @Option(
            names = "--users",
            split = ",",
            description =
                    "How many users call under loads of 64 and more, besides one (50,500, with"
                            + " --quick 50).")
    private @Nullable List<Integer> users;

    @Option(names = "--rate", description = "Calls a second of the open loop, 0 for none (2000).")
    private @Nullable Integer rate;

    @Option(
            names = "--output",
            defaultValue = "table",
            description = "json or table (${DEFAULT-VALUE}).")
    private String output = "table";

    @Option(names = "--plot", description = "Also draw calls and growth into this SVG file.")
    private @Nullable Path plot;

    @Spec private CommandSpec spec = CommandSpec.create();

    /** The whole {@code perigee} command, this one included; ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.exit(Perigee.run(arguments, new Bench()));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var json = isJson();
        if (sections.contains(Section.MICRO)) {
            if (sections.size() > 1) {
                throw bad("micro prints for itself: run it without other sections");
            }
            MicroBench.run(quick);
            return 0;
        }
        var usual = quick ? Plans.quick() : Plans.full();
        var plans = usual.withCalls(asked(usual.calls()));
        var machine = Machine.here(BenchFleet.flags());
        var progress = new BenchProgress(this::say);
        if (machine.busy()) {
            progress.note(
                    "This machine is busy (load %.1f on %d cores): do not trust what comes"
                            .formatted(machine.loadBefore(), machine.cores()));
        }
        var findings = new Findings(machine);
        var directory = Files.createTempDirectory("perigee-bench-");
        try {
            var trivial = EchoProgram.trivial(directory, progress::note);
            new Run(plans, trivial, progress, findings)
                    .measure(sections.isEmpty() ? Section.usual() : sections);
        } finally {
            delete(directory);
        }
        var out = spec.commandLine().getOut();
        out.println(json ? Json.raw(findings.json()).text() : findings.tables());
        out.flush();
        if (plot != null) {
            Files.writeString(plot, Plot.svg(findings.charts()));
        }
        return 0;
    }

    private boolean isJson() {
        return switch (output) {
            case "json" -> true;
            case "table" -> false;
            default -> throw bad("--output is json or table");
        };
    }

    private CallPlan asked(CallPlan usual) {
        var plan =
                new CallPlan(
                        rounds == null ? usual.rounds() : rounds,
                        millis == null ? usual.time() : Duration.ofMillis(millis),
                        usual.warmup(),
                        usual.longestWarmup(),
                        inFlight == null ? usual.inFlight() : inFlight,
                        users == null ? usual.users() : users,
                        rate == null ? usual.perSecond() : rate,
                        usual.everything());
        if (plan.rounds() < 1
                || !plan.time().isPositive()
                || plan.perSecond() < 0
                || plan.inFlight().stream().anyMatch(count -> count < 1)
                || plan.users().stream().anyMatch(count -> count < 1)) {
            throw bad(
                    "--rounds, --millis, --in-flight and --users take numbers of at least 1,"
                            + " --rate of at least 0");
        }
        return plan;
    }

    private ParameterException bad(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private void say(String line) {
        var err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
