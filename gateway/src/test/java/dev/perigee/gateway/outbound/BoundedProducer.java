package dev.perigee.gateway.outbound;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A producer of a broker that acknowledges at once, unless a record's value is larger than its
 * topics take: then the record fails, and the transaction that has it. Thread-safe.
 */
public final class BoundedProducer extends MockProducer<byte[], byte[]> {
    private final AtomicInteger refused = new AtomicInteger();
    private volatile int mostBytes = Integer.MAX_VALUE;
    private boolean failed;

    public BoundedProducer() {
        super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** How large a value may be from now on. */
    public void mostBytes(int bytes) {
        mostBytes = bytes;
    }

    /** How many records were too large. */
    public int refused() {
        return refused.get();
    }

    @Override
    public synchronized Future<RecordMetadata> send(
            ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
        if (record.value() == null || record.value().length <= mostBytes) {
            return super.send(record, callback);
        }
        var failure = new RecordTooLargeException("The value is larger than " + mostBytes);
        failed = true;
        refused.incrementAndGet();
        if (callback != null) {
            callback.onCompletion(null, failure);
        }
        return CompletableFuture.failedFuture(failure);
    }

    @Override
    public synchronized void commitTransaction() {
        if (failed) {
            throw new KafkaException("A record of the transaction failed");
        }
        super.commitTransaction();
    }

    @Override
    public synchronized void abortTransaction() {
        failed = false;
        super.abortTransaction();
    }
}
