package dev.perigee.local.replay;

import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Commands before a span that are needed to begin it: the latest configuration of each installation
 * that was not deleted. Holds one place for each. For one thread.
 */
final class Preamble {
    /** Of one partition: commands for every user have a key of their own. */
    private record Owner(String partition, String team, String user) {}

    private final Map<String, Map<Owner, String>> latest = new HashMap<>();
    private final Set<String> places = new HashSet<>();

    void see(ConsumerRecord<?, ?> record, JsonNode command) {
        var payload = command.path("payload");
        var config = payload.path("config");
        if (config.isObject()) {
            var owner =
                    new Owner(
                            record.topic() + "-" + record.partition(),
                            either(config, payload, "team_id"),
                            either(config, payload, "user_id"));
            latest.computeIfAbsent(either(config, payload, "installation_id"), _ -> new HashMap<>())
                    .put(owner, place(record));
            return;
        }
        var action = action(command);
        if (action instanceof CommandAction.Delete delete) {
            var user = delete.userId();
            latest.getOrDefault(delete.installationId(), new HashMap<>())
                    .keySet()
                    .removeIf(owner -> user == null || owner.user().equals(user));
        } else if (action instanceof CommandAction.RemoveMember member) {
            latest.values().forEach(owners -> owners.keySet().removeIf(owner -> is(owner, member)));
        }
    }

    private static boolean is(Owner owner, CommandAction.RemoveMember member) {
        return owner.team().equals(member.teamId()) && owner.user().equals(member.userId());
    }

    private static String either(JsonNode config, JsonNode payload, String field) {
        return config.path(field).asString(payload.path(field).asString(""));
    }

    /** As a gateway reads it; null for what it puts aside. */
    private static @Nullable CommandAction action(JsonNode command) {
        try {
            return CommandAction.of(Json.convert(command, Command.class));
        } catch (InvalidRecordException | JacksonException e) {
            return null;
        }
    }

    boolean has(ConsumerRecord<?, ?> record) {
        return places.contains(place(record));
    }

    /** Between seeing and asking. */
    void freeze() {
        latest.values().forEach(owners -> places.addAll(owners.values()));
    }

    private static String place(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }
}
