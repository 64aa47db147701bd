package dev.perigee.local.cli;

import dev.perigee.local.broker.BrokerPart;
import dev.perigee.local.broker.BrokerSettings;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.PartCommand;
import dev.perigee.part.RunningPart;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a real single-node Kafka broker in the foreground. */
@Command(
        name = "broker",
        header = "Run a single-node Kafka broker, for development.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee broker",
            "  perigee broker --port 9092 --data ~/perigee-data",
            "  perigee broker --set broker.kafka.log.retention.hours=1"
        })
final class BrokerCommand extends PartCommand {
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

    @Override
    protected SettingsSchema schema() {
        return BrokerSettings.SCHEMA;
    }

    @Override
    protected Map<String, String> given() {
        var given = new HashMap<String, String>();
        if (port != null) {
            given.put(BrokerSettings.LISTEN.key(), "127.0.0.1:" + port);
        }
        if (data != null) {
            given.put(BrokerSettings.DATA.key(), data.toString());
        }
        return given;
    }

    @Override
    protected RunningPart start(Settings settings) {
        try {
            return BrokerPart.start(settings);
        } catch (IOException e) {
            throw new CliException(ExitCode.FAILED, String.valueOf(e.getMessage()));
        }
    }
}
