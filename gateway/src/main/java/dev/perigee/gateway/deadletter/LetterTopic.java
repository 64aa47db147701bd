package dev.perigee.gateway.deadletter;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Topic {@code dead-letters}, read by whoever has a client of Kafka's. What is thrown where it
 * cannot be read is the reader's own; no call waits without end.
 */
public interface LetterTopic {
    /** Opens it for the records appended since then, for all there are where it is null. */
    Tail since(@Nullable Instant time);

    /** Opens these partitions from these offsets on. */
    Tail at(Map<TopicPartition, Long> offsets);

    /** Committed records from a start on. For one thread. */
    interface Tail extends AutoCloseable {
        /** Waits at most so long for records; each partition's come in order. */
        List<ConsumerRecord<byte[], byte[]>> poll(Duration wait);

        /** Whether all that was there at the start has been returned. */
        boolean hasCaughtUp();

        @Override
        void close();
    }
}
