package dev.perigee.local.cli;

import dev.perigee.local.broker.BrokerPart;
import dev.perigee.local.broker.BrokerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a real single-node Kafka broker in the foreground. */
@Command(
        name = "broker",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Run a single-node Kafka broker, for development.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee broker",
            "  perigee broker --port 9092 --data ~/perigee-data",
            "  perigee broker --set broker.kafka.log.retention.hours=1"
        })
final class BrokerCommand implements Callable<Integer> {
    @Mixin private PartOptions options = new PartOptions();

    @Option(
            names = "--port",
            paramLabel = "P",
            description = "Port on the loopback address, 0 for a free one (default 9092).")
    private @Nullable Integer port;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keeps the topics (default: a temporary directory, removed at exit).")
    private @Nullable Path data;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        var given = new HashMap<String, String>();
        if (port != null) {
            given.put(BrokerSettings.LISTEN.key(), "127.0.0.1:" + port);
        }
        if (data != null) {
            given.put(BrokerSettings.DATA.key(), data.toString());
        }
        var settings = options.settings(BrokerSettings.SCHEMA, given);
        var foreground = options.foreground("broker", spec.commandLine().getOut());
        try {
            foreground.run(BrokerPart.start(settings));
        } catch (IOException e) {
            throw new CliException(ExitCode.FAILED, String.valueOf(e.getMessage()));
        }
        return ExitCode.OK;
    }
}
