package dev.perigee.gateway;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which ids the topics that come in had when the fleet began, and have now. One that was deleted
 * and made again has another, and its offsets begin anew: workers, which know what they accepted by
 * topic and offset, are told another name of it. Pure.
 *
 * @param first by the topic's suffix
 * @param now the same
 */
record Incarnations(TopicNames names, Map<String, String> first, Map<String, String> now) {
    static final Set<Topic> TOPICS = Set.of(Topic.COMMANDS, Topic.TOOL_REQUESTS);

    Incarnations {
        first = Map.copyOf(first);
        now = Map.copyOf(now);
    }

    /** What workers know the topics by. */
    Map<Topic, String> linkNames() {
        var linkNames = new EnumMap<Topic, String>(Topic.class);
        for (var topic : TOPICS) {
            var name = names.of(topic);
            var id = now.get(topic.suffix());
            boolean isFirst = id == null || id.equals(first.getOrDefault(topic.suffix(), id));
            linkNames.put(topic, isFirst ? name : name + "." + id);
        }
        return linkNames;
    }

    /** As they are found to be; null where nothing changed. */
    @Nullable Incarnations changed(Map<String, String> found) {
        return found.equals(now) ? null : new Incarnations(names, first, found);
    }

    /** Those that are not what they were. */
    Set<Topic> replacedSince(Incarnations before) {
        var replaced = EnumSet.noneOf(Topic.class);
        for (var topic : TOPICS) {
            if (!Objects.equals(now.get(topic.suffix()), before.now.get(topic.suffix()))) {
                replaced.add(topic);
            }
        }
        return replaced;
    }
}
