package dev.perigee.protocol.topic;

import dev.perigee.protocol.json.Require;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Full topic names under one prefix.
 *
 * @param prefix what every name begins with, {@code mcp.} by default; may be empty
 */
public record TopicNames(String prefix) {
    /** The prefix of the contract. */
    public static final String DEFAULT_PREFIX = "mcp.";

    public TopicNames {
        Require.present(prefix, "topics.prefix");
    }

    /** The full name of a topic. */
    public String of(Topic topic) {
        return prefix + topic.suffix();
    }

    /** The topic with this full name, or null when it is none of ours. */
    public @Nullable Topic topic(String name) {
        for (Topic topic : Topic.values()) {
            if (name.equals(of(topic))) {
                return topic;
            }
        }
        return null;
    }

    /** Full names of all topics, in the contract's order. */
    public List<String> all() {
        return Arrays.stream(Topic.values()).map(this::of).toList();
    }
}
