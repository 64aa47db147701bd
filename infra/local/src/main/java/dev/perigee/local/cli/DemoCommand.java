package dev.perigee.local.cli;

import dev.perigee.client.CommandRun;
import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.client.KafkaConnection;
import dev.perigee.local.fleet.FleetPlan;
import dev.perigee.local.fleet.ServerTrust;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Logging;
import dev.perigee.part.Output;
import dev.perigee.part.OutputFormat;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The main job, end to end, on a real MCP server. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Show the main job, end to end, on a real MCP server from npm.",
        description =
                "Starts a broker, a worker and a gateway, installs a server, shows each status,"
                        + " calls its tool, prints the answer and stops everything. Without npx it"
                        + " uses a bundled server.",
        footerHeading = "%nExamples:%n",
        footer = {"  perigee demo", "  perigee demo --bundled"})
final class DemoCommand implements Callable<Integer> {
    private static final Duration INSTALL = Duration.ofSeconds(60);
    private static final Duration CALL = Duration.ofSeconds(20);
    private static final RawJson ARGUMENTS = RawJson.of("{\"message\":\"Hello from Perigee\"}");

    @Option(names = "--bundled", description = "Use the bundled sample server in any case.")
    private boolean bundled;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        var output = new Output(spec, OutputFormat.TABLE);
        output.line("Starting a broker, a worker and a gateway ...");
        var plan = plan();
        if (!plan.trust(System.getenv()).jailed()) {
            output.line(ServerTrust.UNJAILED);
        }
        try (var run = FleetRun.of(spec, plan)) {
            var names = new TopicNames(TopicNames.DEFAULT_PREFIX);
            var kafka = new KafkaConnection(run.start(), names, Map.of());
            var server = installed(kafka, output);
            return callEcho(kafka, server, output);
        }
    }

    private static FleetPlan plan() {
        return new FleetPlan(
                null,
                0,
                null,
                1,
                1,
                1,
                TopicNames.DEFAULT_PREFIX,
                Map.of(),
                Map.of("PERIGEE_LOG_LEVEL", Logging.level("error")),
                PartSchemas.BY_KIND,
                null);
    }

    private DemoServer installed(KafkaConnection kafka, Output output) throws InterruptedException {
        if (!bundled && DemoServer.hasNpx(System.getenv().getOrDefault("PATH", ""))) {
            var server = DemoServer.fromNpm();
            if (install(server, kafka, output)) {
                return server;
            }
            output.line("It did not come online here; going on with a bundled server.");
        } else if (!bundled) {
            output.line("There is no npx on the PATH; using a bundled server.");
        }
        var server = DemoServer.bundled();
        if (!install(server, kafka, output)) {
            throw new CliException(ExitCode.FAILED, "The server did not come online.");
        }
        return server;
    }

    private static boolean install(DemoServer server, KafkaConnection kafka, Output output)
            throws InterruptedException {
        var config = server.config();
        output.line("Installing " + server.description() + " for user u1 of team t1");
        var payload = CommandPayload.install(config);
        var command =
                new Commands(InstantSource.system(), INSTALL, false)
                        .command(CommandType.CONFIGURE, payload);
        var key = new RecordKey(config.teamId(), config.userId());
        var run =
                new CommandRun(
                        kafka,
                        event -> event.origin().installationId().equals(config.installationId()),
                        new CommandReport(output));
        var result = run.run(List.of(new Addressed(key, command)), INSTALL).get(command.id());
        return result != null
                && result.result() != null
                && result.result().resultingStatus() == ServerStatus.ONLINE;
    }

    private int callEcho(KafkaConnection kafka, DemoServer server, Output output)
            throws InterruptedException {
        output.line("Calling " + server.echo() + " " + ARGUMENTS.text());
        var request =
                ToolRequest.call(
                        "demo-1",
                        server.config().teamId(),
                        server.config().userId(),
                        server.echo(),
                        ARGUMENTS,
                        CALL.toMillis());
        return ToolAnswer.print(
                ToolAnswer.await(CallClients.ONE_EACH, kafka, request, CALL), output, this::warn);
    }

    private void warn(String message) {
        Printer.err(spec).line(spec.qualifiedName() + ": " + message);
    }
}
