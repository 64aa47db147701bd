package dev.perigee.client;

import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Follows what servers do: status, lifecycle, logs, request logs, tools and catalogues. Events of
 * one process come in order. One that is repeated, after a failover for instance, comes once:
 * repeats have the same {@code ce_id}, of which the last {@value #REMEMBERED} are known. For one
 * thread.
 */
public final class EventFeed implements AutoCloseable {
    private static final int REMEMBERED = 50_000;
    private static final Set<Topic> TOPICS =
            EnumSet.of(
                    Topic.STATUS,
                    Topic.LIFECYCLE,
                    Topic.LOGS,
                    Topic.REQUEST_LOGS,
                    Topic.TOOLS,
                    Topic.CATALOG);

    private final RecordSource source;
    private final TopicNames names;
    private final RecentIds ids = new RecentIds(REMEMBERED);

    private EventFeed(RecordSource source, TopicNames names) {
        this.source = source;
        this.names = names;
    }

    /**
     * A record of these topics.
     *
     * @param topic where the record was
     * @param processId the record's key
     * @param event null for a tombstone: the instance was uninstalled
     */
    public record Followed(Topic topic, String processId, @Nullable Event event) {}

    /**
     * Follows from a point on, for itself alone.
     *
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws MissingTopicException when one of the topics is not there
     */
    public static EventFeed open(
            KafkaConnection connection, TopicTail.Start start, Set<Topic> topics) {
        var tail = TopicTail.open(connection, start, events(topics).toArray(Topic[]::new));
        return new EventFeed(tail, connection.names());
    }

    /**
     * Follows as a member of a consumer group, from where the group was. What {@link #next} has
     * handed out counts as done when it is called again; after a crash what was not done comes
     * again, also across restarts.
     */
    public static EventFeed inGroup(KafkaConnection connection, String group, Set<Topic> topics) {
        return new EventFeed(new GroupTail(connection, group, events(topics)), connection.names());
    }

    private static Set<Topic> events(Set<Topic> topics) {
        if (topics.isEmpty() || !TOPICS.containsAll(topics)) {
            throw new IllegalArgumentException("Events are on " + TOPICS + ", not on " + topics);
        }
        return topics;
    }

    /**
     * Waits at most so long for something new. Records of kinds that this version does not know are
     * passed over.
     *
     * @throws KafkaRefusedException when the broker says no
     */
    public List<Followed> next(Duration wait) {
        var followed = new ArrayList<Followed>();
        for (var record : source.poll(wait)) {
            var topic = names.topic(record.topic());
            if (topic != null && isNew(record)) {
                try {
                    var event = record.value() == null ? null : Event.read(record.value());
                    followed.add(new Followed(topic, textOf(record.key()), event));
                } catch (InvalidRecordException ignored) {
                    // Written by a newer version or another program: skipped.
                }
            }
        }
        return followed;
    }

    private boolean isNew(ConsumerRecord<byte[], byte[]> record) {
        var id = record.headers().lastHeader(Headers.CE_ID);
        return id == null || ids.add(textOf(id.value()));
    }

    private static String textOf(byte @Nullable [] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        source.close();
    }
}
