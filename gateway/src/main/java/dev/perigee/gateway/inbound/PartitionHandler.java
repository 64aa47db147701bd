package dev.perigee.gateway.inbound;

import dev.perigee.protocol.topic.Topic;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Callbacks of the poll loop about the partitions that this gateway owns. Called on the poll
 * thread: hand over and return, since every partition's records wait meanwhile.
 */
public interface PartitionHandler {
    /** The partition is this gateway's from now on; its records follow. */
    void assigned(PartitionFeed feed);

    /** The partition is no longer this gateway's: leave its session at once. */
    void revoked(Tenure tenure);

    /**
     * The lease ran out, or partitions were lost: others may own what this gateway had. Records of
     * ended tenures that the producer has not sent yet must not be sent.
     */
    void dropUnsent();

    /**
     * Records arrived. Each is open in the feed until it is done.
     *
     * @param records maybe none, where only the position moved
     * @param nextOffset nothing below it is still to come
     */
    void records(
            PartitionFeed feed,
            Topic topic,
            List<ConsumerRecord<byte[], byte[]>> records,
            long nextOffset);

    /** Requests below this offset are durably done. */
    void committed(PartitionFeed feed, long offset);
}
