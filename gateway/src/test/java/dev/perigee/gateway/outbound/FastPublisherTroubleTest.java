package dev.perigee.gateway.outbound;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Records for a broker in trouble")
final class FastPublisherTroubleTest {
    private static final TopicNames NAMES = new TopicNames("mcp.");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Troubled producer = new Troubled();
    private final TopicHealth health = new TopicHealth(NAMES);
    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final FastPublisher publisher = new FastPublisher(() -> producer, health, metrics);
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    @DisplayName("are written again when they fail")
    void failed() {
        publish(Topic.TOOL_RESULTS, "a");
        publish(Topic.TOOL_RESULTS, "b");
        assertThat(producer.errorNext(new KafkaException("the test says so"))).isTrue();
        assertThat(producer.completeNext()).isTrue();

        await().atMost(PATIENCE).until(producer::completeNext);

        assertThat(heard).containsExactly("b delivered", "a delivered");
        assertThat(values()).containsExactly("a", "b", "a");
        assertThat(publisher.backlog().held().records()).isZero();
        assertThat(count("publish.failures", Topic.TOOL_RESULTS)).isEqualTo(1);
    }

    @Test
    @DisplayName("wait while the producer has no room")
    void noRoom() {
        producer.full = true;
        publish(Topic.TOOL_RESULTS, "a");
        await().atMost(PATIENCE).until(() -> count("publish.waits", Topic.TOOL_RESULTS) > 1);
        assertThat(publisher.backlog().held().records()).isEqualTo(1);
        assertThat(publisher.backlog().held().since()).isNotNull();

        producer.full = false;

        await().atMost(PATIENCE).until(producer::completeNext);
        assertThat(heard).containsExactly("a delivered");
    }

    @Test
    @DisplayName("that are too large end so")
    void tooLarge() {
        publish(Topic.TOOL_RESULTS, "a");
        assertThat(producer.errorNext(new RecordTooLargeException("the test says so"))).isTrue();
        await().atMost(PATIENCE).until(() -> heard.contains("a too large"));
        assertThat(publisher.backlog().held().records()).isZero();
    }

    @Test
    @DisplayName("that can be lost are counted while their topic alone cannot be written")
    void counted() {
        publish(Topic.LOGS, "before");
        health.found(Map.of(Topic.LOGS, "the test says so"));
        publish(Topic.LOGS, "then");
        assertThat(heard).containsExactly("before delivered", "then delivered");
        assertThat(count("publish.dropped", Topic.LOGS)).isEqualTo(2);

        health.found(Map.of());
        publish(Topic.LOGS, "after");
        assertThat(values()).containsExactly("before", "after");
    }

    @Test
    @DisplayName("that are kept are written when their topic takes records again, the newest ones")
    void kept() {
        health.found(Map.of(Topic.LIFECYCLE, "the test says so"));
        int surplus = 3;
        for (int record = 0; record < KeptRecords.MOST_RECORDS + surplus; record++) {
            publish(Topic.LIFECYCLE, "r" + record);
        }
        assertThat(heard).contains("r0 kept", "r0 delivered", "r2 delivered");
        assertThat(heard).doesNotContain("r3 delivered");
        assertThat(count("publish.dropped", Topic.LIFECYCLE)).isEqualTo(surplus);
        assertThat(values()).isEmpty();

        health.found(Map.of());

        assertThat(values()).hasSize(KeptRecords.MOST_RECORDS).startsWith("r3", "r4");
    }

    @Test
    @DisplayName("that the producer has are kept as well when their topic goes")
    void keptWhileUnderWay() {
        publish(Topic.LIFECYCLE, "a");
        health.found(Map.of(Topic.LIFECYCLE, "the test says so"));
        assertThat(heard).containsExactly("a kept");
        assertThat(producer.errorNext(new KafkaException("the test says so"))).isTrue();
        health.found(Map.of());

        await().atMost(PATIENCE).until(producer::completeNext);

        assertThat(heard).containsExactly("a kept", "a delivered");
    }

    @Test
    @DisplayName("wait, all of them, when a topic is gone on which all depends")
    void allDepend() {
        health.found(Map.of(Topic.TOOL_RESULTS, "gone", Topic.LIFECYCLE, "gone as well"));
        publish(Topic.LIFECYCLE, "a");
        assertThat(values()).as("the producer waits for the broker").containsExactly("a");
        assertThat(heard).isEmpty();
        assertThat(health.troubles()).containsEntry(Topic.TOOL_RESULTS, "gone");
    }

    @Test
    @DisplayName("are prepared for once their topics are found")
    void prepares() throws Exception {
        producer.found = _ -> false;
        var prepared =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                publisher.prepare(NAMES.all());
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        await().atMost(PATIENCE).until(() -> producer.looks.get() > 1);
        assertThat(prepared).isNotDone();

        producer.found = _ -> true;

        var _ = prepared.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(
                        metrics.find("perigee.gateway.publish.failures")
                                .tag("topic", NAMES.of(Topic.HEARTBEATS))
                                .counter())
                .isNotNull();
    }

    @Test
    @DisplayName("cannot be prepared for where the producer does not work")
    void preparesInVain() {
        producer.found =
                _ -> {
                    throw new KafkaException("the test says so");
                };
        assertThatThrownBy(() -> publisher.prepare(NAMES.all()))
                .isInstanceOf(KafkaException.class)
                .hasMessage("the test says so");
    }

    private void publish(Topic topic, String value) {
        publisher.publish(
                new ProducerRecord<>(NAMES.of(topic), value.getBytes(UTF_8)),
                new Delivery() {
                    @Override
                    public void delivered() {
                        heard.add(value + " delivered");
                    }

                    @Override
                    public void tooLarge() {
                        heard.add(value + " too large");
                    }

                    @Override
                    public void kept() {
                        heard.add(value + " kept");
                    }
                });
    }

    private List<String> values() {
        return producer.history().stream()
                .map(record -> new String(record.value(), UTF_8))
                .toList();
    }

    private double count(String counter, Topic topic) {
        var found =
                metrics.find("perigee.gateway." + counter).tag("topic", NAMES.of(topic)).counter();
        return found == null ? 0 : found.count();
    }

    /** A producer that may have no room, or not find topics. */
    private static final class Troubled extends MockProducer<byte[], byte[]> {
        private volatile boolean full;
        private final AtomicInteger looks = new AtomicInteger();
        private volatile Predicate<String> found = _ -> true;

        Troubled() {
            super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public synchronized Future<RecordMetadata> send(
                ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
            if (full && callback != null) {
                var failure = new TimeoutException("no room");
                callback.onCompletion(null, failure);
                return CompletableFuture.failedFuture(failure);
            }
            return super.send(record, callback);
        }

        @Override
        public synchronized List<PartitionInfo> partitionsFor(String topic) {
            looks.incrementAndGet();
            if (!found.test(topic)) {
                throw new TimeoutException("not found");
            }
            return super.partitionsFor(topic);
        }
    }
}
