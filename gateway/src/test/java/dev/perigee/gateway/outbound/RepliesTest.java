package dev.perigee.gateway.outbound;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A copy of a result for the topic that a backend asks for")
final class RepliesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String TOPIC = "replies";

    private final Looked producer = new Looked();
    private final Replies replies =
            new Replies(
                    producer, new PublicRecords(new TopicNames("mcp."), InstantSource.system()));
    private final AtomicInteger done = new AtomicInteger();

    @AfterEach
    void close() {
        replies.close();
    }

    @Test
    @DisplayName("goes to the partition and has the correlation that were asked for")
    void written() {
        send(new ReplyTo(TOPIC, 1, "c".getBytes(UTF_8)));
        await().atMost(PATIENCE).until(producer::completeNext);
        awaitDone(1);

        var copy = producer.history().getFirst();
        assertThat(copy.topic()).isEqualTo(TOPIC);
        assertThat(copy.partition()).isEqualTo(1);
        assertThat(copy.key()).isEqualTo("key".getBytes(UTF_8));
        assertThat(copy.value()).isEqualTo("value".getBytes(UTF_8));
        assertThat(copy.headers().lastHeader(Headers.CORRELATION_ID).value())
                .isEqualTo("c".getBytes(UTF_8));
    }

    @Test
    @DisplayName("is given up where there is no such topic, which is not looked for again at once")
    void noTopic() {
        send(new ReplyTo("never-was", null, null));
        awaitDone(1);
        send(new ReplyTo("never-was", null, null));
        awaitDone(2);
        assertThat(producer.history()).isEmpty();
        assertThat(producer.looks).hasValue(1);
    }

    @Test
    @DisplayName("is given up where its topic has no such partition")
    void noPartition() {
        send(new ReplyTo(TOPIC, 2, null));
        awaitDone(1);
        assertThat(producer.history()).isEmpty();
    }

    @Test
    @DisplayName("is given up where its topic refuses it, which is looked for anew then")
    void refused() {
        send(new ReplyTo(TOPIC, null, null));
        await().atMost(PATIENCE)
                .until(() -> producer.errorNext(new KafkaException("the test says so")));
        awaitDone(1);
        send(new ReplyTo(TOPIC, null, null));
        await().atMost(PATIENCE).until(producer::completeNext);
        awaitDone(2);
        assertThat(producer.looks).hasValue(2);
    }

    @Test
    @DisplayName("is tried twice where the broker does not answer")
    void twice() {
        send(new ReplyTo(TOPIC, null, null));
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThat(done).hasValue(0);
            await().atMost(PATIENCE)
                    .until(() -> producer.errorNext(new TimeoutException("the test says so")));
        }
        awaitDone(1);
        assertThat(producer.history()).hasSize(2);
    }

    @Test
    @DisplayName("waits until a broker says whether there is such a topic")
    void noBroker() {
        producer.failure = new TimeoutException("no broker answers");
        send(new ReplyTo(TOPIC, null, null));
        await().atMost(PATIENCE).until(() -> producer.looks.get() > 1);
        assertThat(done).hasValue(0);

        producer.failure = null;

        await().atMost(PATIENCE).until(producer::completeNext);
        awaitDone(1);
    }

    @Test
    @DisplayName("is given up when a broker says that there is none")
    void brokerSaysNo() {
        producer.failure =
                new TimeoutException("not found", new UnknownTopicOrPartitionException("none"));
        send(new ReplyTo(TOPIC, null, null));
        awaitDone(1);
    }

    @Test
    @DisplayName("is given up when the gateway ends")
    void closed() {
        producer.failure = new TimeoutException("no broker answers");
        send(new ReplyTo(TOPIC, null, null));
        await().atMost(PATIENCE).until(() -> producer.looks.get() > 0);

        replies.close();

        awaitDone(1);
    }

    @Test
    @DisplayName("is given up when the producer takes nothing")
    void notTaken() {
        producer.sendException = new KafkaException("the test says so");
        send(new ReplyTo(TOPIC, null, null));
        awaitDone(1);
    }

    private void awaitDone(int times) {
        await().atMost(PATIENCE).until(() -> done.get() == times);
    }

    private void send(ReplyTo reply) {
        replies.send(
                reply,
                new ProducerRecord<>(
                        "mcp.tool-results", "key".getBytes(UTF_8), "value".getBytes(UTF_8)),
                done::incrementAndGet);
    }

    /** A producer that knows one topic, with two partitions, and counts who looks for one. */
    private static final class Looked extends MockProducer<byte[], byte[]> {
        private final AtomicInteger looks = new AtomicInteger();
        private volatile @Nullable RuntimeException failure;

        Looked() {
            super(
                    new Cluster(
                            null,
                            List.of(),
                            List.of(
                                    new PartitionInfo(TOPIC, 0, null, null, null),
                                    new PartitionInfo(TOPIC, 1, null, null, null)),
                            Set.of(),
                            Set.of()),
                    false,
                    null,
                    new ByteArraySerializer(),
                    new ByteArraySerializer());
        }

        @Override
        public synchronized List<PartitionInfo> partitionsFor(String topic) {
            looks.incrementAndGet();
            var with = failure;
            if (with != null) {
                throw with;
            }
            return super.partitionsFor(topic);
        }
    }
}
