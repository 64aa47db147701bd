package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import dev.perigee.protocol.settings.SettingsReader;
import dev.perigee.protocol.settings.SettingsSchema;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The configuration that a user gives a whole fleet: each key must mean something to some part, and
 * goes to those it means something to.
 */
public final class FleetSettings {
    /** Keys that the fleet itself gives each part, and what a user does instead. */
    private static final Map<String, String> OURS =
            Map.of(
                    "topics.prefix", "use --prefix",
                    "kafka.bootstrap.servers", "use --bootstrap",
                    "broker.listen", "use --kafka-port",
                    "broker.data", "use --data",
                    "workers", "use --workers N, or start gateways alone",
                    "worker.id", "each worker gets its own",
                    "gateway.id", "each gateway gets its own",
                    "admin.listen", "each part gets its own, see its ready line",
                    "link.token-file", "the fleet makes a token; link.token sets one");

    private FleetSettings() {}

    /**
     * Reads {@code key=value} arguments.
     *
     * @throws CliException when no part knows a key, or the fleet itself gives it
     */
    public static Map<String, String> parse(
            List<String> arguments, Collection<SettingsSchema> schemas) {
        var settings = new LinkedHashMap<String, String>();
        for (var argument : arguments) {
            var equals = argument.indexOf('=');
            var key = equals < 0 ? argument : argument.substring(0, equals).strip();
            if (schemas.stream().noneMatch(schema -> schema.knows(key))) {
                throw unknown(key, "--set", schemas);
            }
            var instead = OURS.get(key);
            if (instead != null) {
                throw CliException.usage("--set %s: %s".formatted(key, instead));
            }
            if (equals < 0) {
                throw CliException.usage("--set " + key + ": write it as key=value");
            }
            settings.put(key, argument.substring(equals + 1));
        }
        return settings;
    }

    /** Refuses a variable that no part would understand. */
    static void check(Set<String> variables, Collection<SettingsSchema> schemas) {
        for (var variable : variables) {
            if (!SettingsReader.isForeignOrTool(variable)
                    && schemas.stream()
                            .allMatch(schema -> schema.keyOfVariable(variable) == null)) {
                throw unknown(variable, "the environment", schemas);
            }
        }
    }

    private static CliException unknown(
            String name, String origin, Collection<SettingsSchema> schemas) {
        return CliException.usage(
                "%s: no part knows this setting, the nearest is %s (from %s)"
                        .formatted(name, SettingsSchema.nearest(name, schemas), origin));
    }
}
