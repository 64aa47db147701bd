package dev.perigee.gateway.outbound;

import dev.perigee.gateway.inbound.RebalanceCommit;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commit of offsets in a transaction of its own, with a producer that is made for it: the group's
 * coordinator takes those of a member of the present generation also while the next is made. For
 * one thread.
 */
public final class TransactionalOffsets implements RebalanceCommit {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionalOffsets.class);

    private final Supplier<Producer<byte[], byte[]>> producers;

    /**
     * @param producers makes transactional producers, which end what an earlier one left open
     */
    public TransactionalOffsets(Supplier<Producer<byte[], byte[]>> producers) {
        this.producers = producers;
    }

    @Override
    public void commit(
            Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata member) {
        var producer = producers.get();
        try {
            producer.initTransactions();
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(offsets, member);
            end(producer);
        } catch (TimeoutException e) {
            throw e;
        } catch (KafkaException e) {
            abort(producer);
            throw e;
        } finally {
            producer.close(Duration.ZERO);
        }
    }

    /** An open transaction blocks the next owner's read of the offsets until it times out. */
    private static void end(Producer<byte[], byte[]> producer) {
        try {
            producer.commitTransaction();
        } catch (TimeoutException e) {
            producer.commitTransaction();
        }
    }

    private static void abort(Producer<byte[], byte[]> producer) {
        try {
            producer.abortTransaction();
        } catch (KafkaException | IllegalStateException e) {
            LOG.atDebug().setCause(e).log("Transaction of offsets not aborted; brokers end it");
        }
    }
}
