package dev.perigee.part.gateway;

import dev.perigee.console.Console;
import dev.perigee.console.ConsoleSettings;
import dev.perigee.gateway.Gateway;
import dev.perigee.gateway.GatewayStartException;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.KafkaAddress;
import dev.perigee.part.KafkaPropertiesFile;
import dev.perigee.part.PartCommand;
import dev.perigee.part.RunningPart;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a gateway in the foreground. */
@Command(
        name = "gateway",
        header = "Run a gateway: it takes commands and requests from Kafka to workers.",
        description = "Configuration keys are in docs/reference/configuration.md.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee gateway --bootstrap kafka:9092 --set workers=ws://worker:7070/link",
            "  perigee gateway --config gateway.properties",
        })
public final class GatewayCommand extends PartCommand {
    /** Every key of this program: the gateway's with its console's. */
    public static final SettingsSchema SCHEMA = ConsoleSettings.SCHEMA;

    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            defaultValue = "${env:PERIGEE_BOOTSTRAP:-" + Option.NULL_VALUE + "}",
            description = "Kafka's address, the key kafka.bootstrap.servers (PERIGEE_BOOTSTRAP).")
    private @Nullable String bootstrap;

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            description = "What topic names begin with, the key topics.prefix.")
    private @Nullable String prefix;

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            defaultValue = "${env:PERIGEE_KAFKA_CONFIG:-" + Option.NULL_VALUE + "}",
            description = "Properties for the Kafka clients, the keys kafka.*.")
    private @Nullable Path kafkaConfig;

    @Override
    protected SettingsSchema schema() {
        return SCHEMA;
    }

    @Override
    protected Map<String, String> given() {
        var given = new HashMap<String, String>();
        KafkaPropertiesFile.read(kafkaConfig)
                .forEach((key, value) -> given.put("kafka." + key, value));
        if (bootstrap != null) {
            given.put("kafka.bootstrap.servers", KafkaAddress.checked(bootstrap));
        }
        if (prefix != null) {
            given.put("topics.prefix", prefix);
        }
        return given;
    }

    @Override
    protected RunningPart start(Settings settings) throws InterruptedException {
        try {
            return new Running(Gateway.start(settings, Console::of), new CountDownLatch(1));
        } catch (GatewayStartException e) {
            throw new CliException(ExitCode.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private record Running(Gateway gateway, CountDownLatch closed) implements RunningPart {
        @Override
        public Map<String, String> addresses() {
            return Map.of("admin", gateway.adminUri().toString());
        }

        @Override
        public void awaitEnd() throws InterruptedException {
            closed.await();
        }

        @Override
        public void close() {
            gateway.close();
            closed.countDown();
        }
    }
}
