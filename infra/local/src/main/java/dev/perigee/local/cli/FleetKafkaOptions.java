package dev.perigee.local.cli;

import dev.perigee.part.KafkaAddress;
import dev.perigee.part.KafkaPropertiesFile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which Kafka a local fleet uses. */
final class FleetKafkaOptions {
    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Use this Kafka instead of starting a broker.")
    private @Nullable String bootstrap;

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            defaultValue = "${env:PERIGEE_TOPICS_PREFIX:-mcp.}",
            description = "What topic names begin with (PERIGEE_TOPICS_PREFIX, default mcp.).")
    private String prefix = "";

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            defaultValue = "${env:PERIGEE_KAFKA_CONFIG:-" + Option.NULL_VALUE + "}",
            description = "Properties for the gateways' Kafka clients (PERIGEE_KAFKA_CONFIG).")
    private @Nullable Path kafkaConfig;

    /** The properties as the configuration keys that gateways know them by. */
    Map<String, String> settings() {
        var settings = new HashMap<String, String>();
        KafkaPropertiesFile.read(kafkaConfig)
                .forEach((key, value) -> settings.put("kafka." + key, value));
        settings.remove("kafka.bootstrap.servers");
        return settings;
    }

    @Nullable String bootstrap() {
        return bootstrap == null ? null : KafkaAddress.checked(bootstrap);
    }

    String prefix() {
        return KafkaAddress.checkedPrefix(prefix);
    }
}
