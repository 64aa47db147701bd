package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.PartitionFeed;
import dev.perigee.gateway.outbound.StateWrite;
import dev.perigee.gateway.outbound.StateWrite.Refusal;
import dev.perigee.gateway.outbound.TransactionalPublisher;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer of one tenure's transactions, each with the settled offset of commands, which it commits;
 * delivers each outcome on the owner's thread. For that thread.
 */
final class StateWriter {
    private static final Logger LOG = LoggerFactory.getLogger(StateWriter.class);

    private final TransactionalPublisher publisher;
    private final PartitionFeed feed;
    private final OwnerMailbox mailbox;
    private final String stateTopic;
    private final Listener listener;
    private final Map<String, Integer> writing = new HashMap<>();

    StateWriter(
            TransactionalPublisher publisher,
            PartitionFeed feed,
            OwnerMailbox mailbox,
            String stateTopic,
            Listener listener) {
        this.publisher = publisher;
        this.feed = feed;
        this.mailbox = mailbox;
        this.stateTopic = stateTopic;
        this.listener = listener;
    }

    /** Told what became durable, after those who wrote it; on the owner's thread. */
    interface Listener {
        /** A record of the state topic. */
        void written(String name);

        /** The offset of commands. */
        void commandsCommitted(long offset);
    }

    /** Whether a record of this name in the state topic is on its way. */
    boolean isWriting(String name) {
        return writing.containsKey(name);
    }

    /** Writes; a write that is too large is logged and dropped. */
    void write(List<ProducerRecord<byte[], byte[]>> records, Consumer<List<Long>> done)
            throws InterruptedException {
        write(
                records,
                done,
                () ->
                        LOG.atError()
                                .addKeyValue("partition", feed.tenure().partition())
                                .addKeyValue("topics", topics(records))
                                .log("Record too large for its topic; dropped"));
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
        submit(records, false, done, () -> {}, tooLarge);
    }

    /**
     * The same without a waiting caller: it may linger, to be batched with others.
     *
     * @param kept called first when a record of it is kept until its topic can be written again
     */
    void writeSoon(
            List<ProducerRecord<byte[], byte[]>> records,
            Consumer<List<Long>> done,
            Runnable kept,
            Runnable tooLarge)
            throws InterruptedException {
        submit(records, true, done, kept, tooLarge);
    }

    private void submit(
            List<ProducerRecord<byte[], byte[]>> records,
            boolean patient,
            Consumer<List<Long>> done,
            Runnable kept,
            Runnable tooLarge)
            throws InterruptedException {
        long offset = feed.settled(Topic.COMMANDS);
        var names = namesOf(records);
        names.forEach(name -> writing.merge(name, 1, Integer::sum));
        publisher.submit(
                new StateWrite(
                        feed.tenure(),
                        records,
                        offset,
                        patient,
                        new StateWrite.Ending() {
                            @Override
                            public void committed(List<Long> offsets) {
                                mailbox.post(
                                        () -> {
                                            names.forEach(StateWriter.this::ended);
                                            done.accept(offsets);
                                            names.forEach(listener::written);
                                            listener.commandsCommitted(offset);
                                        });
                            }

                            @Override
                            public void kept() {
                                mailbox.postSoon(kept);
                            }

                            @Override
                            public void refused(Refusal refusal) {
                                switch (refusal) {
                                    case TOO_LARGE ->
                                            mailbox.post(
                                                    () -> {
                                                        names.forEach(StateWriter.this::ended);
                                                        tooLarge.run();
                                                    });
                                    case TENURE_ENDED, CLOSED -> {}
                                }
                            }
                        }));
    }

    private void ended(String name) {
        writing.computeIfPresent(name, (_, count) -> count == 1 ? null : count - 1);
    }

    private List<String> namesOf(List<ProducerRecord<byte[], byte[]>> records) {
        return records.stream()
                .filter(record -> record.topic().equals(stateTopic))
                .map(record -> new String(record.key(), StandardCharsets.UTF_8))
                .toList();
    }

    private static List<String> topics(List<ProducerRecord<byte[], byte[]>> records) {
        return records.stream().map(ProducerRecord::topic).distinct().toList();
    }
}
