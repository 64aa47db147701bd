package dev.perigee.gateway.outbound;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Health of the topics, as the watch last found it; {@link UnwritablePolicy} has the policy for the
 * records of an unusable one. Where a topic is unusable that everything depends on, it counts as an
 * outage of the brokers, and everything waits. Thread-safe.
 */
public final class TopicHealth {
    private final TopicNames names;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile Map<Topic, String> troubles = Map.of();

    public TopicHealth(TopicNames names) {
        this.names = names;
    }

    /** What is wrong with each topic that cannot be used, for people. */
    public Map<Topic, String> troubles() {
        return troubles;
    }

    /** All that is wrong now. */
    public void found(Map<Topic, String> now) {
        var before = troubles;
        troubles = now.isEmpty() ? Map.of() : new EnumMap<>(now);
        if (!before.keySet().equals(now.keySet())) {
            listeners.forEach(Runnable::run);
        }
    }

    /** Runs when other topics than before are concerned, on the thread that found it out. */
    void listen(Runnable changed) {
        listeners.add(changed);
    }

    /** Whether others go on without this topic, by its full name. */
    boolean isBlocked(String name) {
        var now = troubles;
        if (now.isEmpty()) {
            return false;
        }
        var topic = names.topic(name);
        return topic != null
                && now.containsKey(topic)
                && now.keySet().stream()
                        .noneMatch(other -> UnwritablePolicy.of(other) == UnwritablePolicy.NONE);
    }

    /** Policy for its records while it cannot be written. */
    UnwritablePolicy policy(String name) {
        var topic = names.topic(name);
        return topic == null ? UnwritablePolicy.NONE : UnwritablePolicy.of(topic);
    }

    /** All topics, by full name. */
    List<String> names() {
        return names.all();
    }
}
