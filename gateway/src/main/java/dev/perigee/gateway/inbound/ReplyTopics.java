package dev.perigee.gateway.inbound;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Allow-list of the topics that a backend may name for its replies. Patterns are topic names in
 * which {@code *} stands for any characters and {@code {prefix}} for the topics' prefix. Perigee's
 * own topics are refused whatever the patterns say, but for tool-results: a reply must not pass for
 * a command.
 */
public final class ReplyTopics {
    /** Kafka's own limit. */
    private static final int LONGEST_NAME = 249;

    private final TopicNames names;
    private final List<Pattern> allowed;

    public ReplyTopics(TopicNames names, List<String> patterns) {
        this.names = names;
        this.allowed =
                patterns.stream()
                        .map(pattern -> pattern.replace("{prefix}", names.prefix()))
                        .map(ReplyTopics::compile)
                        .toList();
    }

    /** True when a reply may go there. */
    public boolean allows(String topic) {
        if (topic.length() > LONGEST_NAME) {
            return false;
        }
        var ours = names.topic(topic);
        if (ours != null) {
            return ours == Topic.TOOL_RESULTS;
        }
        return allowed.stream().anyMatch(pattern -> pattern.matcher(topic).matches());
    }

    private static Pattern compile(String glob) {
        return Pattern.compile(
                List.of(glob.split("\\*", -1)).stream()
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*")));
    }
}
