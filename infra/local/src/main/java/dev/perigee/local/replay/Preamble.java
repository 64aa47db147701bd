package dev.perigee.local.replay;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.databind.JsonNode;

/**
 * Which commands before a span are needed to begin it: the latest configuration of each
 * installation that was not deleted. Holds one place for each. For one thread.
 */
final class Preamble {
    private final Map<String, String> latest = new HashMap<>();
    private final Set<String> places = new HashSet<>();

    void see(ConsumerRecord<?, ?> record, JsonNode command) {
        var payload = command.path("payload");
        var config = payload.path("config");
        var installation = payload.path("installation_id").asString("");
        var id = config.path("installation_id").asString(installation);
        // Of one user: commands for every user have a key of their own.
        var owner = record.topic() + "-" + record.partition() + "/";
        var user = config.path("user_id").asString(payload.path("user_id").asString(""));
        var key = owner + user + "/" + id;
        if (config.isObject()) {
            latest.put(key, place(record));
        } else if (payload.path("event").asString("").equals("mcp_installation_deleted")) {
            latest.remove(key);
        }
    }

    boolean has(ConsumerRecord<?, ?> record) {
        return places.contains(place(record));
    }

    /** Between seeing and asking. */
    void freeze() {
        places.addAll(latest.values());
    }

    private static String place(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }
}
