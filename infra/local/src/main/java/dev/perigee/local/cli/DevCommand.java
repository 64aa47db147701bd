package dev.perigee.local.cli;

import dev.perigee.local.fleet.FleetPlan;
import dev.perigee.local.fleet.ServerTrust;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Logging;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a whole fleet in the foreground. */
@Command(
        name = "dev",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Run a whole fleet in the foreground, each part a JVM of its own.",
        description =
                "Prints a line for each part when it is ready, says when one dies and goes on"
                        + " without it. Ctrl-C stops all. Servers run without a jail, unless"
                        + " isolation.mode asks for one.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee dev",
            "  perigee dev --workers 3 --gateways 2 --data ~/perigee-data",
            "  perigee dev --set isolation.mode=auto  # servers run in jails",
            "  perigee dev --set link.retention=60s --set idle.timeout=0",
            "  PERIGEE_LOG_LEVEL=info perigee dev  # the parts log more than warnings"
        })
final class DevCommand implements Callable<Integer> {
    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of workers (default 1).")
    private int workers;

    @Option(
            names = "--gateways",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of gateways (default 1).")
    private int gateways;

    @Option(
            names = "--kafka-port",
            paramLabel = "P",
            defaultValue = "9092",
            description = "Port of the broker, 0 for a free one (default 9092).")
    private int kafkaPort;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keeps the topics (default: a temporary directory, removed at exit).")
    private @Nullable Path data;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "Process partitions of new topics (default 8).")
    private @Nullable Integer partitions;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "One configuration key, for every part that knows it.")
    private List<String> set = List.of();

    @Mixin private FleetKafkaOptions kafka = new FleetKafkaOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (workers < 1 || gateways < 1 || (partitions != null && partitions < 1)) {
            throw CliException.usage("--workers, --gateways and --partitions must be at least 1");
        }
        if (kafkaPort < 0 || kafkaPort > 65_535) {
            throw CliException.usage("--kafka-port must be from 0 to 65535");
        }
        var plan = plan();
        try (var run = FleetRun.of(spec, plan)) {
            run.start();
            if (!plan.trust(System.getenv()).jailed()) {
                Printer.err(spec).line(ServerTrust.UNJAILED);
            }
            Printer.err(spec).line("All parts are ready. Ctrl-C stops them.");
            run.awaitEnd();
            return ExitCode.FAILED;
        }
    }

    private FleetPlan plan() {
        var schemas = PartSchemas.BY_KIND;
        FleetSettings.check(System.getenv().keySet(), schemas.values());
        var settings = kafka.settings();
        settings.putAll(FleetSettings.parse(set, schemas.values()));
        return new FleetPlan(
                kafka.bootstrap(),
                kafkaPort,
                data,
                partitions,
                workers,
                gateways,
                kafka.prefix(),
                settings,
                Map.of("PERIGEE_LOG_LEVEL", Logging.level("warn")),
                schemas,
                null);
    }
}
