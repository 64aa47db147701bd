package dev.perigee.local.replay;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Records of a source, each partition in its own order. For one thread. */
interface RecordFeed extends AutoCloseable {
    /** The next record, or null at the end. */
    @Nullable ConsumerRecord<byte[], byte[]> next();

    @Override
    void close();
}
