package dev.perigee.protocol.topic;

import dev.perigee.protocol.json.Require;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Full topic names under one prefix.
 *
 * @param prefix what every name begins with, {@code mcp.} by default; may be empty
 */
public record TopicNames(String prefix) {
    /** The prefix of the contract. */
    public static final String DEFAULT_PREFIX = "mcp.";

    /** What {@link #isPrefix} accepts, in words. */
    public static final String PREFIX_RULE = "at most 200 of A-Z a-z 0-9 . _ -";

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._-]{0,200}");

    public TopicNames {
        Require.present(prefix, "topics.prefix");
    }

    /** Whether Kafka takes topic names that begin so. */
    public static boolean isPrefix(String prefix) {
        return PREFIX.matcher(prefix).matches();
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
