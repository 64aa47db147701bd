package dev.perigee.gateway.partition;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** Asks the broker for offsets of what comes in. Any thread; blocks, so never on the call path. */
public final class GroupOffsets {
    private final Admin admin;
    private final String group;
    private final TopicNames names;

    public GroupOffsets(Admin admin, String group, TopicNames names) {
        this.admin = admin;
        this.group = group;
        this.names = names;
    }

    /** The consumer group of all gateways. */
    String group() {
        return group;
    }

    /** Where the group stands in a partition of a topic, and what was noted with it. */
    record Committed(long offset, String metadata) {}

    /**
     * Where the group stands in a partition of a topic, once no transaction about it is open; the
     * beginning when it never committed, or beyond the end of a topic that was made again.
     *
     * @throws KafkaException when the broker does not answer, or while a transaction about it is
     *     open: a successor that took that for "never committed" would read all from the beginning
     */
    Committed committed(Topic topic, int partition) throws InterruptedException {
        var asked = new TopicPartition(names.of(topic), partition);
        var offsets =
                await(
                        admin.listConsumerGroupOffsets(
                                        Map.of(
                                                group,
                                                new ListConsumerGroupOffsetsSpec()
                                                        .topicPartitions(List.of(asked))),
                                        new ListConsumerGroupOffsetsOptions().requireStable(true))
                                .partitionsToOffsetAndMetadata(group));
        if (!offsets.containsKey(asked)) { // The client leaves out what a broker does not tell.
            throw new KafkaException(
                    "The group's offset of "
                            + asked
                            + " is not told: a transaction about it is open");
        }
        var committed = offsets.get(asked);
        return committed == null || committed.offset() > offset(asked, OffsetSpec.latest())
                ? new Committed(offset(asked, OffsetSpec.earliest()), "")
                : new Committed(committed.offset(), committed.metadata());
    }

    /**
     * The end of a topic's partition: what was sent before now is below.
     *
     * @throws KafkaException when the broker does not answer
     */
    long end(Topic topic, int partition) throws InterruptedException {
        return offset(new TopicPartition(names.of(topic), partition), OffsetSpec.latest());
    }

    private long offset(TopicPartition partition, OffsetSpec spec) throws InterruptedException {
        return await(
                        admin.listOffsets(
                                        Map.of(partition, spec),
                                        new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                                .partitionResult(partition))
                .offset();
    }

    private static <T> T await(KafkaFuture<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException kafka
                    ? kafka
                    : new KafkaException(e.getCause());
        }
    }
}
