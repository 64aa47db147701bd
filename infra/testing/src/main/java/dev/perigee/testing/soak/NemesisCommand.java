package dev.perigee.testing.soak;

import dev.perigee.local.cli.Perigee;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The nemesis as a command. */
@Command(
        name = "nemesis",
        mixinStandardHelpOptions = true,
        header = "Do to a fleet on this machine what can befall it, and check every promise.",
        description = {
            "Starts a broker, gateways and workers of its own, calls servers all the time, and draws"
                    + " storms of faults from a seed: any set of parts cut off from the rest, in"
                    + " one direction or both; pairs cut off or slow; sets killed, frozen, starved,"
                    + " restarted; workers drained; servers that crash. Each storm ends in calm,"
                    + " in which all has to be well again. Then it says whether each request was"
                    + " answered once, no tool ran twice, no server had a twin (looked for every 50"
                    + " ms), nothing was lost, out of order, left over or held. What is not"
                    + " promised (docs/guarantees.md) is counted beside it.",
            "",
            "The same seed with the same options draws the same storms. Several runs may go on at"
                    + " once on one machine.",
            "",
            "Exits 0 when all was as promised, 1 when not."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee nemesis --seed 7 --minutes 10",
            "  perigee nemesis --seeds 1..10 --minutes 10 --json",
            "  perigee nemesis --seed 7 --minutes 30 --scale 1 --workers 4"
        })
public final class NemesisCommand implements Callable<Integer> {
    private static final Pattern RANGE = Pattern.compile("(\\d+)\\.\\.(\\d+)");

    @Option(names = "--seed", paramLabel = "N", description = "Draws the storms (1).")
    private @Nullable Long seed;

    @Option(
            names = "--seeds",
            paramLabel = "A..B",
            description = "One run for each seed from A to B, one after the other.")
    private @Nullable String seeds;

    @Option(
            names = "--minutes",
            defaultValue = "10",
            description =
                    "For how long storms are begun in each run, one at least (${DEFAULT-VALUE}).")
    private double minutes;

    @Option(names = "--gateways", defaultValue = "2", description = "How many (${DEFAULT-VALUE}).")
    private int gateways;

    @Option(names = "--workers", defaultValue = "3", description = "How many (${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--users",
            defaultValue = "24",
            description = "How many users call, each a server of its own (${DEFAULT-VALUE}).")
    private int users;

    @Option(
            names = "--pace",
            paramLabel = "MS",
            defaultValue = "50",
            description = "Milliseconds between two calls (${DEFAULT-VALUE}).")
    private int pace;

    @Option(
            names = "--scale",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Divides all times by which a fleet decides who is gone, 1 to 5; 1 has the"
                            + " default settings, with storms of minutes (${DEFAULT-VALUE}).")
    private double scale;

    @Option(
            names = "--directory",
            description =
                    "For schedule, output and history; one below the system's temporary directory,"
                            + " unless it is given.")
    private @Nullable Path directory;

    @Option(names = "--json", description = "Reports as JSON, a line for each run.")
    private boolean json;

    @Spec private CommandSpec spec = CommandSpec.create();

    /** The whole {@code perigee} command, this one included; ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.exit(Perigee.run(arguments, new NemesisCommand()));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var shape = shape();
        var time = Duration.ofMillis(Math.round(minutes * 60_000));
        var root = directory == null ? Files.createTempDirectory("perigee-nemesis-") : directory;
        int wrong = 0;
        for (long each : seeds()) {
            var folder = root.resolve("seed-" + each);
            var plan = new SoakPlan(each, time, shape, Duration.ofMillis(pace), folder);
            var report = NemesisRun.run(plan, this::progress);
            print(report);
            wrong += report.isWell() ? 0 : 1;
        }
        return wrong == 0 ? 0 : 1;
    }

    private Shape shape() {
        if (!(minutes >= 0) || pace < 1) {
            throw bad("--minutes and --pace take positive numbers");
        }
        try {
            return new Shape(gateways, workers, users, new Times(scale));
        } catch (IllegalArgumentException e) {
            throw bad(String.valueOf(e.getMessage()));
        }
    }

    private List<Long> seeds() {
        if (seeds == null) {
            return List.of(seed == null ? 1 : seed);
        }
        var range = RANGE.matcher(seeds);
        if (seed != null || !range.matches()) {
            throw bad("Either --seed N or --seeds A..B");
        }
        var all = new ArrayList<Long>();
        for (long each = Long.parseLong(range.group(1));
                each <= Long.parseLong(range.group(2));
                each++) {
            all.add(each);
        }
        return all;
    }

    private void print(Report report) {
        var out = spec.commandLine().getOut();
        out.println(
                json
                        ? new String(Json.write(report.json()), StandardCharsets.UTF_8)
                        : report.table());
        out.flush();
    }

    private void progress(String line) {
        var err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private ParameterException bad(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
