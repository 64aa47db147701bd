package dev.perigee.gateway.outbound;

import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of results' copies on the topics that backends ask for. A backend that names a topic
 * must not hold up others where it does not exist, vanishes or refuses: so replies have a producer
 * of their own, are sent from a virtual thread each, and each is given up after twice that
 * producer's delivery timeout; the result is on tool-results anyway. A topic that was not found is
 * not looked for again for 30 seconds. While no broker answers nothing is found out and nothing
 * given up. Thread-safe.
 */
public final class Replies implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Replies.class);
    private static final int UNKNOWN = -1;
    private static final int MOST_TOPICS = 1_000;
    private static final int ATTEMPTS = 2;
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final long FORGET_AFTER_NANOS = Duration.ofSeconds(30).toNanos();

    private final Producer<byte[], byte[]> producer;
    private final PublicRecords records;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<String, Topic> topics =
            Collections.synchronizedMap(
                    new LinkedHashMap<>() {
                        @Override
                        protected boolean removeEldestEntry(Map.Entry<String, Topic> eldest) {
                            return size() > MOST_TOPICS;
                        }
                    });

    /** Metadata of a topic; no partitions when it does not exist. */
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
        send(reply, result, done, ATTEMPTS);
    }

    private void send(
            ReplyTo reply, ProducerRecord<byte[], byte[]> result, Runnable done, int attempts) {
        Thread.ofVirtual().name("reply").start(() -> write(reply, result, done, attempts));
    }

    /** Writes what waits, bounded. */
    @Override
    public void close() {
        closed.countDown();
        producer.close(Duration.ofSeconds(5));
    }

    private void write(
            ReplyTo reply, ProducerRecord<byte[], byte[]> result, Runnable done, int attempts) {
        int partition = Objects.requireNonNullElse(reply.partition(), 0);
        if (partition >= partitionsOnceKnown(reply.topic())) {
            done.run();
            return;
        }
        try {
            var _ =
                    producer.send(
                            records.reply(reply, result),
                            (metadata, failure) -> {
                                if (failure instanceof TimeoutException && attempts > 1) {
                                    topics.remove(reply.topic());
                                    send(reply, result, done, attempts - 1);
                                    return;
                                }
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
                .log("Reply dropped, check its topic; the result is on tool-results");
    }

    /** Waits until a broker answers; 0 when there is no such topic, or after the close. */
    private int partitionsOnceKnown(String name) {
        try {
            int partitions = partitionsOf(name);
            while (partitions == UNKNOWN
                    && !closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                partitions = partitionsOf(name);
            }
            return Math.max(0, partitions);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private int partitionsOf(String name) {
        var known = topics.get(name);
        if (known == null) {
            return find(name);
        }
        long age = System.nanoTime() - known.foundAtNanos();
        boolean lookAgain = known.partitions() == 0 && age >= FORGET_AFTER_NANOS;
        return lookAgain ? find(name) : known.partitions();
    }

    private int find(String name) {
        int partitions = 0;
        try {
            partitions = producer.partitionsFor(name).size();
        } catch (KafkaException | IllegalStateException e) {
            // Without a cause there was no answer, with one it is the answer.
            if (e instanceof TimeoutException && e.getCause() == null) {
                return UNKNOWN;
            }
            LOG.atWarn()
                    .addKeyValue("topic", name)
                    .log("Reply topic not found, create it; results are on tool-results");
        }
        topics.put(name, new Topic(partitions, System.nanoTime()));
        return partitions;
    }
}
