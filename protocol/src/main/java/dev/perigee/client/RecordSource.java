package dev.perigee.client;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Source of records. For one thread. */
interface RecordSource extends AutoCloseable {
    /** Waits at most so long for records; each partition's come in order. */
    List<ConsumerRecord<byte[], byte[]>> poll(Duration wait);

    @Override
    void close();
}
