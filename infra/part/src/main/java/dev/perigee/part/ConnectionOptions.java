package dev.perigee.part;

import dev.perigee.client.KafkaConnection;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which Kafka a command talks to. */
public final class ConnectionOptions {
    /** Nobody reads the metrics of a command, which would wait until JMX has them. */
    private static final Map<String, String> UNMETERED =
            Map.of("metric.reporters", "", "enable.metrics.push", "false");

    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            defaultValue = "${env:PERIGEE_BOOTSTRAP:-127.0.0.1:9092}",
            description = "Kafka's address (PERIGEE_BOOTSTRAP, default 127.0.0.1:9092).")
    private String bootstrap = "";

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
            description =
                    "Properties for the Kafka client, such as security settings"
                            + " (PERIGEE_KAFKA_CONFIG).")
    private @Nullable Path kafkaConfig;

    public KafkaConnection connection() {
        var properties = new HashMap<>(UNMETERED);
        properties.putAll(KafkaPropertiesFile.read(kafkaConfig));
        return new KafkaConnection(
                KafkaAddress.checked(bootstrap),
                new TopicNames(KafkaAddress.checkedPrefix(prefix)),
                properties);
    }
}
