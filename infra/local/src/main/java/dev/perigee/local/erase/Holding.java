package dev.perigee.local.erase;

import dev.perigee.protocol.topic.Cleanup;
import dev.perigee.protocol.topic.Topic;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records of one topic that hold a user. In a compacted topic the last record of a key is current:
 * it stays until a tombstone replaces it. Earlier ones are removed by compaction. For one thread;
 * holds {@link UserMatcher#MOST} keys at most.
 */
public final class Holding {
    /**
     * A current record.
     *
     * @param key its key, as text
     */
    record Current(String key, int partition, long offset) {}

    private final Topic topic;
    private final Map<String, Current> current = new LinkedHashMap<>();
    private long read;
    private long records;
    private long newestMillis = Long.MIN_VALUE;
    private long replacedMillis = Long.MIN_VALUE;

    Holding(Topic topic) {
        this.topic = topic;
    }

    /** Takes the next record of its partition. */
    void take(ConsumerRecord<byte[], byte[]> record, boolean holds) {
        read++;
        if (holds) {
            records++;
            newestMillis = Math.max(newestMillis, record.timestamp());
        }
        if (topic.cleanup() != Cleanup.DELETE) {
            var key = UserMatcher.keyOf(record);
            var name = record.partition() + "/" + key;
            if (holds) {
                var now = new Current(key, record.partition(), record.offset());
                replaced(current.put(name, now), record);
                if (current.size() > UserMatcher.MOST) {
                    throw new UserMatcher.TooManyException();
                }
            } else {
                replaced(current.remove(name), record);
            }
        }
    }

    private void replaced(@Nullable Current before, ConsumerRecord<byte[], byte[]> by) {
        if (before != null) {
            replacedMillis = Math.max(replacedMillis, by.timestamp());
        }
    }

    public Topic topic() {
        return topic;
    }

    /** How many records the topic has, the user's or not. */
    public long read() {
        return read;
    }

    /** How many hold the user, current or not. */
    public long records() {
        return records;
    }

    /** How many of them nothing has replaced; none where records only go with time. */
    public int currentCount() {
        return current.size();
    }

    /** The same without what goes by itself: with time, or when a gateway forgets a suspicion. */
    public long lastingCount() {
        return topic.cleanup() != Cleanup.COMPACT
                ? 0
                : current.values().stream()
                        .filter(each -> !each.key().startsWith(UserMatcher.SUSPECT_USER))
                        .count();
    }

    Collection<Current> current() {
        return current.values();
    }

    /** Time of the newest of them, as the broker has it; null where there is none. */
    public @Nullable Instant newest() {
        return records == 0 ? null : Instant.ofEpochMilli(Math.max(0, newestMillis));
    }

    /** Time of the newest that holds the user or replaced such a one; null where there is none. */
    public @Nullable Instant newestOrReplacement() {
        return records == 0
                ? null
                : Instant.ofEpochMilli(Math.max(0, Math.max(newestMillis, replacedMillis)));
    }
}
