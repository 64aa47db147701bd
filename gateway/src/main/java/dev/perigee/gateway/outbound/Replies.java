package dev.perigee.gateway.outbound;

import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies results to the topics that backends ask for. Whoever names a topic must not hold up others
 * where it does not exist, vanishes or refuses: so replies have a producer of their own, are sent
 * from a thread of their own, and each is given up after that producer's delivery timeout; the
 * result is on tool-results anyway. A topic that was not found is not looked for again for a while.
 * Thread-safe.
 */
public final class Replies implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Replies.class);
    private static final int MOST_TOPICS = 1_000;
    private static final long FORGET_AFTER_NANOS = Duration.ofSeconds(30).toNanos();

    private final Producer<byte[], byte[]> producer;
    private final PublicRecords records;
    private final Map<String, Topic> topics =
            Collections.synchronizedMap(
                    new LinkedHashMap<>() {
                        @Override
                        protected boolean removeEldestEntry(Map.Entry<String, Topic> eldest) {
                            return size() > MOST_TOPICS;
                        }
                    });

    /** What was found out of a topic; no partitions when it was not there. */
    private record Topic(int partitions, long foundAtNanos) {}

    /**
     * @param producer of replies only: one that gives up
     */
    public Replies(Producer<byte[], byte[]> producer, PublicRecords records) {
        this.producer = producer;
        this.records = records;
    }

    /** Copies a result; {@code done} runs when it is written or given up, on any thread. */
    public void send(ReplyTo reply, ProducerRecord<byte[], byte[]> result, Runnable done) {
        Thread.ofVirtual().name("reply").start(() -> write(reply, result, done));
    }

    /** Writes what waits, bounded. */
    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }

    private void write(ReplyTo reply, ProducerRecord<byte[], byte[]> result, Runnable done) {
        int partition = Objects.requireNonNullElse(reply.partition(), 0);
        if (partition >= partitionsOf(reply.topic())) {
            done.run();
            return;
        }
        try {
            var _ =
                    producer.send(
                            records.reply(reply, result),
                            (metadata, failure) -> {
                                if (failure != null) {
                                    givenUp(reply, failure);
                                }
                                done.run();
                            });
        } catch (KafkaException | IllegalStateException e) {
            givenUp(reply, e);
            done.run();
        }
    }

    private void givenUp(ReplyTo reply, Exception failure) {
        topics.remove(reply.topic());
        LOG.atWarn()
                .addKeyValue("topic", reply.topic())
                .addKeyValue("cause", failure.toString())
                .log("A reply was given up, check its topic; the result is on tool-results");
    }

    private int partitionsOf(String name) {
        var known = topics.get(name);
        if (known == null) {
            return find(name).partitions();
        }
        long age = System.nanoTime() - known.foundAtNanos();
        boolean lookAgain = known.partitions() == 0 && age >= FORGET_AFTER_NANOS;
        return lookAgain ? find(name).partitions() : known.partitions();
    }

    private Topic find(String name) {
        int partitions = 0;
        try {
            partitions = producer.partitionsFor(name).size();
        } catch (KafkaException | IllegalStateException e) {
            LOG.atWarn()
                    .addKeyValue("topic", name)
                    .log("A reply topic was not found, create it; results are on tool-results");
        }
        var found = new Topic(partitions, System.nanoTime());
        topics.put(name, found);
        return found;
    }
}
