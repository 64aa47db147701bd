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
 * Copies results to the topics that backends ask for. Such a topic may not exist, and a producer
 * takes seconds to find that out: so the first reply to a topic waits on a thread of its own, and a
 * topic that was not found is not looked for again for a while. A reply that cannot be written is
 * given up; the result is on tool-results anyway. Thread-safe.
 */
public final class Replies {
    private static final Logger LOG = LoggerFactory.getLogger(Replies.class);
    private static final int MOST_TOPICS = 1_000;
    private static final long FORGET_AFTER_NANOS = Duration.ofSeconds(30).toNanos();

    private final FastPublisher publisher;
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

    public Replies(
            FastPublisher publisher, Producer<byte[], byte[]> producer, PublicRecords records) {
        this.publisher = publisher;
        this.producer = producer;
        this.records = records;
    }

    /** Copies a result; {@code done} runs when it is written or given up, on any thread. */
    public void send(ReplyTo reply, ProducerRecord<byte[], byte[]> result, Runnable done) {
        var topic = topics.get(reply.topic());
        if (topic != null && topic.partitions() > 0) {
            write(reply, result, topic, done);
        } else if (topic != null && System.nanoTime() - topic.foundAtNanos() < FORGET_AFTER_NANOS) {
            done.run();
        } else {
            Thread.ofVirtual()
                    .name("reply")
                    .start(() -> write(reply, result, find(reply.topic()), done));
        }
    }

    private Topic find(String name) {
        int partitions = 0;
        try {
            partitions = producer.partitionsFor(name).size();
        } catch (KafkaException e) {
            LOG.atWarn()
                    .addKeyValue("topic", name)
                    .log("A reply topic was not found, create it; results are on tool-results");
        }
        var found = new Topic(partitions, System.nanoTime());
        topics.put(name, found);
        return found;
    }

    private void write(
            ReplyTo reply, ProducerRecord<byte[], byte[]> result, Topic topic, Runnable done) {
        int partition = Objects.requireNonNullElse(reply.partition(), 0);
        if (partition >= topic.partitions()) {
            done.run();
            return;
        }
        publisher.publish(
                records.reply(reply, result),
                new Delivery() {
                    @Override
                    public void delivered() {
                        done.run();
                    }

                    @Override
                    public void tooLarge() {
                        done.run();
                    }
                });
    }
}
