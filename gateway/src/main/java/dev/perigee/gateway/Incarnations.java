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
 * Topic ids of the input topics, at the fleet's first start and now. A topic that was deleted and
 * recreated has another id, and its offsets restart: workers, which remember what they accepted by
 * topic and offset, are given another name for it. Pure.
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
