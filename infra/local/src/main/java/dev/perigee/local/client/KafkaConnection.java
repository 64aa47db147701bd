package dev.perigee.local.client;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How to reach the broker, and under which names its topics are.
 *
 * @param properties further client properties, such as security ones; may hold secrets
 */
public record KafkaConnection(String bootstrap, TopicNames names, Map<String, String> properties) {
    /** How long to wait for the broker's answer to anything. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    public KafkaConnection {
        properties = Map.copyOf(properties);
    }

    String name(Topic topic) {
        return names.of(topic);
    }

    /** Configuration of a client, with the given entries on top of what every client needs. */
    Map<String, Object> clientConfig(Map<String, Object> more) {
        var config = new HashMap<String, Object>();
        config.put("default.api.timeout.ms", (int) PATIENCE.toMillis());
        config.put("request.timeout.ms", (int) PATIENCE.toMillis());
        config.put("receive.buffer.bytes", -1);
        config.put("send.buffer.bytes", -1);
        config.putAll(more);
        config.putAll(properties);
        config.put("bootstrap.servers", bootstrap);
        return config;
    }

    /** Bootstrap address only: the properties may hold secrets. */
    @Override
    public String toString() {
        return "KafkaConnection[" + bootstrap + ", " + names + "]";
    }
}
