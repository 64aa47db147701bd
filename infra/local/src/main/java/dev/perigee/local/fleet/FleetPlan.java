package dev.perigee.local.fleet;

import dev.perigee.protocol.settings.SettingsSchema;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Shape of a local fleet.
 *
 * @param broker where Kafka is, or null to start one as a part
 * @param kafkaPort of that broker, 0 for a free one
 * @param data keeps the topics; null keeps them no longer than the fleet
 * @param partitions process partitions of new topics; null takes those that exist, or 8
 * @param settings configuration keys, each for every part that knows it
 * @param environment variables of every part on top of those that the fleet takes of this JVM's own
 * @param schemas what each kind of part knows: broker, gateway, worker
 * @param logs directory of the parts' logs, a file of each part's name; null for this JVM's
 *     standard error
 */
public record FleetPlan(
        @Nullable String broker,
        int kafkaPort,
        @Nullable Path data,
        @Nullable Integer partitions,
        int workers,
        int gateways,
        String prefix,
        Map<String, String> settings,
        Map<String, String> environment,
        Map<String, SettingsSchema> schemas,
        @Nullable Path logs) {

    /** Process partitions of a local fleet, unless its topics have another number. */
    public static final int DEFAULT_PARTITIONS = 8;

    private static final String KAFKA = "kafka.";

    public FleetPlan {
        settings = Map.copyOf(settings);
        environment = Map.copyOf(environment);
        schemas = Map.copyOf(schemas);
    }

    /** The same fleet with its parts' logs in this directory. */
    public FleetPlan withLogs(Path directory) {
        return new FleetPlan(
                broker,
                kafkaPort,
                data,
                partitions,
                workers,
                gateways,
                prefix,
                settings,
                environment,
                schemas,
                directory);
    }

    /** The same fleet with its broker at this port. */
    public FleetPlan withKafkaPort(int port) {
        return new FleetPlan(
                broker,
                port,
                data,
                partitions,
                workers,
                gateways,
                prefix,
                settings,
                environment,
                schemas,
                logs);
    }

    /** Without the settings and variables, which may hold secrets. */
    @Override
    public String toString() {
        return "FleetPlan[" + workers + " workers, " + gateways + " gateways]";
    }

    /** What the settings say to Kafka clients, by Kafka's names. */
    Map<String, String> kafkaProperties() {
        return settings.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(KAFKA))
                .collect(
                        Collectors.toMap(
                                entry -> entry.getKey().substring(KAFKA.length()),
                                Map.Entry::getValue));
    }

    /**
     * How far the fleet's workers trust their servers.
     *
     * @param environment this JVM's own, on top of which are the plan's
     */
    public ServerTrust trust(Map<String, String> environment) {
        var variables = new HashMap<>(environment);
        variables.putAll(this.environment);
        return ServerTrust.of(settings, variables);
    }

    SettingsSchema schema(String kind) {
        var schema = schemas.get(kind);
        if (schema == null) {
            throw new IllegalArgumentException("No schema of a " + kind);
        }
        return schema;
    }
}
