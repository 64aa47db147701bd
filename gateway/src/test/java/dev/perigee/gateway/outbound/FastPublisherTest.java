package dev.perigee.gateway.outbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class FastPublisherTest {
    private static final TopicNames NAMES = new TopicNames("mcp.");

    private final MockProducer<byte[], byte[]> first = producer();
    private final MockProducer<byte[], byte[]> second = producer();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicBoolean held = new AtomicBoolean(true);

    @Test
    @DisplayName("OWN-05: what has no owner any more is not given to the producer")
    void writesNothingInTheNameOfThePast() {
        try (var publisher = publisher()) {
            held.set(false);
            publisher.publish(record("stale"), new Owned());
            publisher.publish(record("wanted"), Delivery.IGNORED);

            assertThat(first.history())
                    .extracting(FastPublisherTest::text)
                    .containsExactly("wanted");
            assertThat(first.completeNext()).isTrue();
            assertThat(publisher.backlog().held().records()).isZero();
        }
    }

    @Test
    @DisplayName("OWN-05: what was dropped is not written again, and the rest is when it can be")
    void writesTheRestWithAnotherProducer() {
        try (var publisher = publisher()) {
            publisher.publish(record("stale"), new Owned());
            publisher.publish(record("wanted"), Delivery.IGNORED);
            held.set(false);

            publisher.drop();

            await().until(first::closed);
            for (int record = 0; record < 2; record++) {
                assertThat(first.errorNext(new KafkaException("closed"))).isTrue();
            }
            await().until(second::completeNext);
            assertThat(made).hasValue(3);
            assertThat(second.history())
                    .extracting(FastPublisherTest::text)
                    .containsExactly("wanted");
            assertThat(publisher.backlog().held().records()).isZero();
        }
    }

    private FastPublisher publisher() {
        return new FastPublisher(
                () ->
                        switch (made.incrementAndGet()) {
                            case 1 -> first;
                            case 2 -> throw new KafkaException("no broker's name resolves");
                            default -> second;
                        },
                new TopicHealth(NAMES),
                new SimpleMeterRegistry());
    }

    private static MockProducer<byte[], byte[]> producer() {
        return new MockProducer<>(
                false, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static ProducerRecord<byte[], byte[]> record(String value) {
        return new ProducerRecord<>(
                NAMES.of(Topic.TOOL_RESULTS), value.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ProducerRecord<byte[], byte[]> record) {
        return new String(record.value(), StandardCharsets.UTF_8);
    }

    private final class Owned implements Delivery {
        @Override
        public boolean isFenced() {
            return !held.get();
        }

        @Override
        public void delivered() {}

        @Override
        public void tooLarge() {}
    }
}
