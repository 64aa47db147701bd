package dev.perigee.gateway.inbound;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Commit of offsets in the name of a member while its group is rebalanced, when the member's
 * consumer commits nothing. On the poll thread, which waits for it.
 */
@FunctionalInterface
public interface RebalanceCommit {
    /**
     * Commits in a few seconds, or not at all.
     *
     * @throws KafkaException when it is not known to be committed: the member may be no member of
     *     this generation any more
     */
    void commit(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata member);
}
