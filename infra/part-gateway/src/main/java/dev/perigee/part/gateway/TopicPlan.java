package dev.perigee.part.gateway;

import dev.perigee.protocol.topic.Topic;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Required configuration of every topic of the contract, as {@code docs/reference/topics.md} says.
 *
 * @param partitions of the process-partitioned topics, and of the others when they are created
 */
public record TopicPlan(int partitions) {
    /** The contract's number of process partitions. */
    public static final int DEFAULT_PARTITIONS = 64;

    private static final int LARGEST_RECORD_BYTES = 17 << 20;
    private static final int LARGEST_DEAD_LETTER_BYTES = 20 << 20;

    /** The settings that a topic is created with and checked for, by Kafka's names. */
    public Map<String, String> settings(Topic topic) {
        var settings = new LinkedHashMap<String, String>();
        settings.put("cleanup.policy", topic.cleanup().policy());
        var largest =
                topic == Topic.DEAD_LETTERS ? LARGEST_DEAD_LETTER_BYTES : LARGEST_RECORD_BYTES;
        settings.put("max.message.bytes", Integer.toString(largest));
        if (topic == Topic.COMMANDS || topic == Topic.TOOL_REQUESTS) {
            // Deadlines count from the append, whatever the backend's clock says.
            settings.put("message.timestamp.type", "LogAppendTime");
        }
        if (topic == Topic.STATE) {
            settings.put("segment.ms", "600000");
            settings.put("segment.bytes", Integer.toString(16 << 20));
            settings.put("min.cleanable.dirty.ratio", "0.1");
        }
        return settings;
    }
}
