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
 * Typed events of all servers: status, lifecycle, logs, request logs, what servers notify of,
 * tools, catalogues and usage. Events of one process come in order. A repeat, after a failover for
 * instance, is left out: it has the same {@code ce_id}, of which the last {@value #REMEMBERED} are
 * remembered. For one thread.
 */
public final class EventFeed implements AutoCloseable {
    private static final int REMEMBERED = 50_000;
    private static final Set<Topic> TOPICS =
            EnumSet.of(
                    Topic.STATUS,
                    Topic.LIFECYCLE,
                    Topic.LOGS,
                    Topic.REQUEST_LOGS,
                    Topic.SERVER_EVENTS,
                    Topic.TOOLS,
                    Topic.CATALOG,
                    Topic.USAGE);

    private final RecordSource source;
    private final TopicNames names;
    private final SeenIds ids = new SeenIds(REMEMBERED);

    private EventFeed(RecordSource source, TopicNames names) {
        this.source = source;
        this.names = names;
    }

    /**
     * A record of these topics.
     *
     * @param topic where the record was
     * @param processId the instance
     * @param event null for a tombstone: the instance was uninstalled
     */
    public record Followed(Topic topic, String processId, @Nullable Event event) {}

    /**
     * Follows from a point on, without a consumer group.
     *
     * @param topics those of the events that are wanted, at least one
     * @throws BrokerUnreachableException when no broker answers within {@link
     *     KafkaConnection#PATIENCE}
     * @throws MissingTopicException when one of the topics is not there
     * @throws KafkaRefusedException when a broker refuses, or the properties are not Kafka's
     * @throws IllegalArgumentException when a topic has no events
     */
    public static EventFeed open(
            KafkaConnection connection, TopicTail.Start start, Set<Topic> topics) {
        var tail = TopicTail.open(connection, start, events(topics).toArray(Topic[]::new));
        return new EventFeed(tail, connection.names());
    }

    /**
     * Follows as a member of a consumer group, from its committed offsets, at first from the
     * beginning. {@link #next} commits what the call before returned, so events come at least once:
     * after a crash, or a rebalance, those of the last call come again. Does not wait for a broker.
     *
     * @param topics those of the events that are wanted, at least one
     * @throws KafkaRefusedException when the properties are not Kafka's
     * @throws IllegalArgumentException when a topic has no events
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
     * Waits at most so long for something new; empty when nothing came, also while no broker
     * answers. Records of kinds that this version does not know are left out.
     *
     * @throws BrokerUnreachableException when the commit of what was returned before fails, within
     *     {@link KafkaConnection#PATIENCE}
     * @throws KafkaRefusedException when the broker refuses
     */
    public List<Followed> next(Duration wait) {
        var followed = new ArrayList<Followed>();
        for (var record : source.poll(wait)) {
            var topic = names.topic(record.topic());
            if (topic != null && isNew(record)) {
                try {
                    var event = record.value() == null ? null : Event.read(record.value());
                    var processId =
                            event == null ? textOf(record.key()) : event.origin().processId();
                    followed.add(new Followed(topic, processId, event));
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

    /** Closes it, and leaves its group: what {@link #next} returned last comes again there. */
    @Override
    public void close() {
        source.close();
    }
}
