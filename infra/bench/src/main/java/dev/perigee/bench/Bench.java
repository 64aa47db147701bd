package dev.perigee.bench;

import dev.perigee.gateway.GatewaySettings;
import dev.perigee.local.broker.BrokerSettings;
import dev.perigee.local.cli.Perigee;
import dev.perigee.local.fleet.FleetPlan;
import dev.perigee.local.fleet.JvmCommand;
import dev.perigee.local.fleet.LocalFleet;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.TopicNames;
import dev.perigee.worker.WorkerSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The benchmark's command line. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        header = "Compare calls through a fleet with bare Kafka and a bare pipe, in one run.",
        description =
                "Starts a broker, a gateway and a worker, and measures one echo server three ways:"
                        + " over its pipes, over two Kafka topics without Perigee, and through the"
                        + " fleet. Read the ratios: the absolutes are this machine's.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee bench",
            "  perigee bench --in-flight 1,64 --calls 20000 --output json"
        })
public final class Bench implements Callable<Integer> {
    /** A fleet for development starts fast; this one has to run as a deployed one does. */
    private static final String OPTIMIZED = "-XX:TieredStopAtLevel=4 ";

    private static final int WARMUP_IN_FLIGHT = 64;
    private static final Duration STALL = Duration.ofSeconds(30);

    @Option(
            names = "--in-flight",
            split = ",",
            defaultValue = "1,16,64",
            description = "Calls kept in flight, one load after the other (${DEFAULT-VALUE}).")
    private List<Integer> inFlight = List.of();

    @Option(
            names = "--calls",
            defaultValue = "5000",
            description = "Calls of each measurement (${DEFAULT-VALUE}).")
    private int calls;

    @Option(
            names = "--warmup",
            defaultValue = "30000",
            description =
                    "Calls before the first measurement of each way (${DEFAULT-VALUE}): a JVM that"
                            + " still compiles measures its compiler.")
    private int warmup;

    @Option(
            names = "--output",
            defaultValue = "table",
            description = "json or table (${DEFAULT-VALUE}).")
    private String output = "table";

    @Spec private CommandSpec spec = CommandSpec.create();

    /** The whole {@code perigee} command, this one included; ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.exit(Perigee.run(arguments, new Bench()));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (calls < 1 || warmup < 0 || inFlight.stream().anyMatch(count -> count < 1)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--calls and --in-flight take numbers of at least 1, --warmup of at least 0");
        }
        if (!output.equals("table") && !output.equals("json")) {
            throw new ParameterException(spec.commandLine(), "--output is json or table");
        }
        var rows = new ArrayList<Row>();
        try (var fleet = fleet()) {
            Runtime.getRuntime().addShutdownHook(new Thread(fleet::close, "stop-fleet"));
            progress("Starting a broker, a gateway and a worker ...");
            var subject = Subject.install(fleet.start(), new TopicNames(TopicNames.DEFAULT_PREFIX));
            try (var pipe = subject.pipe();
                    var kafka = subject.kafka();
                    var calling = subject.fleet()) {
                var bare = new LoadDriver(pipe);
                var topics = new LoadDriver(kafka);
                var whole = new LoadDriver(calling);
                for (var driver : List.of(bare, topics, whole)) {
                    progress("Warming up ...");
                    driver.run(WARMUP_IN_FLIGHT, warmup, STALL);
                }
                for (int count : inFlight) {
                    rows.add(
                            new Row(
                                    count,
                                    measure("bare pipe", bare, count),
                                    measure("bare Kafka", topics, count),
                                    measure("Perigee", whole, count)));
                }
            }
        }
        report(rows);
        return 0;
    }

    private Measurement measure(String name, LoadDriver driver, int count)
            throws InterruptedException {
        progress(name + ", " + count + " in flight ...");
        return driver.run(count, calls, STALL);
    }

    private LocalFleet fleet() throws IOException {
        var plan =
                new FleetPlan(
                        null,
                        0,
                        null,
                        1,
                        1,
                        1,
                        TopicNames.DEFAULT_PREFIX,
                        Map.of(),
                        Map.of("PERIGEE_LOG_LEVEL", "error"),
                        Map.of(
                                "broker", BrokerSettings.SCHEMA,
                                "worker", WorkerSettings.SCHEMA,
                                "gateway", GatewaySettings.SCHEMA));
        var flags = OPTIMIZED + System.getenv().getOrDefault("PERIGEE_JAVA_OPTS", "");
        return new LocalFleet(
                plan, new JvmCommand(Perigee.class.getName(), flags), _ -> {}, this::progress);
    }

    private void progress(String line) {
        var err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private void report(List<Row> rows) {
        PrintWriter out = spec.commandLine().getOut();
        if (output.equals("json")) {
            rows.forEach(row -> out.println(Json.raw(row).text()));
        } else {
            out.println(Row.HEADER);
            rows.forEach(out::println);
            out.println("ms p50/p99 and calls/s; x = Perigee's p50 over the sum of both bare ones");
        }
        out.flush();
    }
}
