package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.PartitionFeed;
import dev.perigee.gateway.outbound.StateWrite;
import dev.perigee.gateway.outbound.StateWrite.Refusal;
import dev.perigee.gateway.outbound.TransactionalPublisher;
import dev.perigee.protocol.topic.Topic;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes in the name of one tenure, each time with the offset of commands that is settled by then,
 * and brings what became of it back to the owner's thread. For that thread.
 */
final class StateWriter {
    private static final Logger LOG = LoggerFactory.getLogger(StateWriter.class);

    private final TransactionalPublisher publisher;
    private final PartitionFeed feed;
    private final Mailbox mailbox;
    private final Consumer<Long> committed;

    /**
     * @param committed told the offset of commands that became durable
     */
    StateWriter(
            TransactionalPublisher publisher,
            PartitionFeed feed,
            Mailbox mailbox,
            Consumer<Long> committed) {
        this.publisher = publisher;
        this.feed = feed;
        this.mailbox = mailbox;
        this.committed = committed;
    }

    /** Writes; a write that is too large is logged and given up. */
    void write(List<ProducerRecord<byte[], byte[]>> records, Consumer<List<Long>> done)
            throws InterruptedException {
        write(
                records,
                done,
                () ->
                        LOG.atError()
                                .addKeyValue("partition", feed.tenure().partition())
                                .addKeyValue("topics", topics(records))
                                .log("A record is too large for its topic and was given up"));
    }

    /**
     * Writes.
     *
     * @param done told the offsets of the records
     * @param tooLarge told when a record is larger than its topic allows
     */
    void write(
            List<ProducerRecord<byte[], byte[]>> records,
            Consumer<List<Long>> done,
            Runnable tooLarge)
            throws InterruptedException {
        long offset = feed.settled(Topic.COMMANDS);
        publisher.submit(
                new StateWrite(
                        feed.tenure(),
                        records,
                        offset,
                        new StateWrite.Ending() {
                            @Override
                            public void committed(List<Long> offsets) {
                                mailbox.post(
                                        () -> {
                                            done.accept(offsets);
                                            committed.accept(offset);
                                        });
                            }

                            @Override
                            public void refused(Refusal refusal) {
                                switch (refusal) {
                                    case TOO_LARGE -> mailbox.post(tooLarge);
                                    case TENURE_ENDED, CLOSED -> {}
                                }
                            }
                        }));
    }

    private static List<String> topics(List<ProducerRecord<byte[], byte[]>> records) {
        return records.stream().map(ProducerRecord::topic).distinct().toList();
    }
}
