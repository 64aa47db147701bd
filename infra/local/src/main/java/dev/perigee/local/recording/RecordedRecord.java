package dev.perigee.local.recording;

import dev.perigee.protocol.topic.Topic;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One record of a recording, without secrets.
 *
 * @param at append time in milliseconds since 1970
 * @param key null where it had none
 * @param headers those that matter for a replay
 * @param value null for a tombstone
 */
public record RecordedRecord(
        Topic topic,
        int partition,
        long offset,
        long at,
        @Nullable String key,
        Map<String, String> headers,
        @Nullable JsonNode value) {
    public RecordedRecord {
        headers = Map.copyOf(headers);
    }

    /** Where it stood: {@code commands-3@17}. */
    public String place() {
        return topic.suffix() + "-" + partition + "@" + offset;
    }
}
