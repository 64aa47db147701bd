package dev.perigee.testing.gateway;

import static dev.perigee.testing.gateway.Loops.bytes;
import static dev.perigee.testing.gateway.Loops.loop;
import static dev.perigee.testing.gateway.Loops.member;
import static dev.perigee.testing.gateway.Loops.producer;
import static dev.perigee.testing.gateway.Loops.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.inbound.FeedLimits;
import dev.perigee.gateway.inbound.Intake;
import dev.perigee.gateway.inbound.Membership;
import dev.perigee.gateway.inbound.PartitionFeed;
import dev.perigee.gateway.inbound.PartitionHandler;
import dev.perigee.gateway.inbound.PollLoop;
import dev.perigee.gateway.inbound.ProgressCodec;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.gateway.outbound.Delivery;
import dev.perigee.gateway.outbound.FastPublisher;
import dev.perigee.gateway.outbound.StateWrite;
import dev.perigee.gateway.outbound.TopicHealth;
import dev.perigee.gateway.outbound.TransactionalPublisher;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.topic.Topic;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("A gateway's loops")
final class LoopsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final int RECORDS = 20;

    /** Longer than a busy machine has a thread stand still, which would be silent once more. */
    private static final Duration LEASE = Duration.ofSeconds(6);

    @RegisterExtension private static final OneBroker broker = new OneBroker();

    @Test
    @DisplayName("read again what could not be handed over")
    void readAgain() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap())) {
            for (int i = 0; i < 3; i++) {
                test.backend.send(Topic.TOOL_REQUESTS, "t/u", bytes("r-" + i));
            }
            var handler = new Loops.FailsOnce();
            try (var loop = loop(test, PATIENCE, handler)) {
                loop.start();
                await().atMost(PATIENCE).until(() -> handler.taken.contains("r-2"));
            }
            assertThat(handler.taken).startsWith("r-0", "r-1", "r-2");
        }
    }

    @Test
    @DisplayName("OWN-05 fall silent without the group's word, and serve again as the same member")
    void comeBack() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap())) {
            var handler = new StallsOnce();
            try (var loop = loop(test, LEASE, handler)) {
                loop.start();
                test.backend.send(Topic.TOOL_REQUESTS, "t/u", bytes("before"));
                await().atMost(PATIENCE).until(handler::isServing);
                test.backend.send(Topic.TOOL_REQUESTS, "t/u", bytes(StallsOnce.STALL));
                await().atMost(PATIENCE).until(() -> handler.taken.size() >= 4);
                int partitions = handler.feeds.size();
                assertThat(handler.revoked).hasSize(partitions / 2);
                assertThat(handler.feeds.stream().filter(feed -> !feed.isSilenced()))
                        .hasSize(partitions / 2);
                assertThat(handler.silences).hasPositiveValue();
            }
            assertThat(handler.taken)
                    .containsExactly("before", StallsOnce.STALL, "before", StallsOnce.STALL);
        }
    }

    @Test
    @DisplayName(
            "OWN-12: take in no more than there is memory for, and the rest when it was looked at")
    void takeIn() throws Exception {
        var intake = new Intake(ByteBudget.of(100_000));
        var handler = new Holding(intake);
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var consumer = member(test, intake.values());
                var loop =
                        new PollLoop(
                                consumer,
                                test.names,
                                new FeedLimits(100, 10 << 20),
                                PATIENCE,
                                intake,
                                new Membership(),
                                handler,
                                (_, _) -> {})) {
            for (int i = 0; i < RECORDS; i++) {
                test.backend.send(Topic.TOOL_REQUESTS, "t/u", bytes(i + " ".repeat(40_000)));
            }
            loop.start();
            for (int looked = 0; looked < RECORDS; ) {
                var records = handler.held.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(records).isNotNull();
                for (var record : records.records()) {
                    assertThat(text(record).strip()).isEqualTo(Integer.toString(looked++));
                }
                records.look();
            }
            await().atMost(PATIENCE).until(() -> intake.budget().used() == 0);
        }
        assertThat(handler.most).isBetween(40_000L, 100_000L);
    }

    @Test
    @DisplayName("write on when a producer could not be made")
    void writeOn() throws Exception {
        var made = new AtomicInteger();
        var endings = new LinkedBlockingQueue<String>();
        var membership = new Membership();
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var consumer = member(test);
                var publisher =
                        new TransactionalPublisher(
                                () -> {
                                    if (made.incrementAndGet() == 1) {
                                        throw new KafkaException("no broker's name resolves");
                                    }
                                    return producer(test, Map.of("transactional.id", "loops"));
                                },
                                test.names.of(Topic.COMMANDS),
                                membership,
                                new TopicHealth(test.names),
                                new SimpleMeterRegistry())) {
            consumer.subscribe(
                    List.of(test.names.of(Topic.COMMANDS), test.names.of(Topic.TOOL_REQUESTS)));
            await().atMost(PATIENCE)
                    .until(
                            () -> {
                                consumer.poll(Duration.ofMillis(100));
                                return !consumer.assignment().isEmpty();
                            });
            membership.update(consumer.groupMetadata(), Map.of(0, 1L));
            publisher.start();
            publisher.submit(new StateWrite(new Tenure(0, 1), List.of(), 0, new Telling(endings)));

            assertThat(endings.poll(40, TimeUnit.SECONDS)).isEqualTo("committed");
        }
    }

    @Test
    @DisplayName("FLT-06 keep the order of a key while the producer's buffer is full")
    void keepTheOrder() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var publisher =
                        new FastPublisher(
                                () ->
                                        producer(
                                                test,
                                                Map.of("buffer.memory", 20_000, "max.block.ms", 0)),
                                new TopicHealth(test.names),
                                new SimpleMeterRegistry())) {
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(
                            () -> {
                                publisher.prepare(List.of(test.names.of(Topic.LOGS)));
                                return true;
                            });
            var sent = IntStream.range(0, RECORDS).mapToObj(i -> i + " ".repeat(14_000)).toList();
            for (var value : sent) {
                publisher.publish(
                        new ProducerRecord<>(test.names.of(Topic.LOGS), bytes("p-1"), bytes(value)),
                        Delivery.IGNORED);
            }
            await().atMost(PATIENCE).until(() -> test.records.on(Topic.LOGS).size() == RECORDS);
            assertThat(test.records.on(Topic.LOGS))
                    .extracting(received -> text(received.raw()).strip())
                    .containsExactlyElementsOf(sent.stream().map(String::strip).toList());
        }
    }

    @Test
    @DisplayName("FLT-06 keep the order of a key while no broker tells where its topic is")
    void keepTheOrderOfATopicThatComesBack() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var publisher =
                        new FastPublisher(
                                () -> producer(test, Map.of("max.block.ms", 0)),
                                new TopicHealth(test.names),
                                new SimpleMeterRegistry())) {
            var topic = test.names.prefix() + "late";
            publishAll(publisher, topic);
            try (var admin =
                    Admin.create(Map.<String, Object>of("bootstrap.servers", broker.bootstrap()))) {
                admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
            }
            var partition = new TopicPartition(topic, 0);
            try (var consumer =
                    new KafkaConsumer<>(
                            Map.<String, Object>of("bootstrap.servers", broker.bootstrap()),
                            new ByteArrayDeserializer(),
                            new ByteArrayDeserializer())) {
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                var read = new ArrayList<String>();
                await().atMost(PATIENCE)
                        .until(
                                () -> {
                                    consumer.poll(Duration.ofMillis(100))
                                            .forEach(record -> read.add(text(record)));
                                    return read.size() == RECORDS;
                                });
                assertThat(read)
                        .containsExactlyElementsOf(
                                IntStream.range(0, RECORDS).mapToObj(Integer::toString).toList());
            }
        }
    }

    private static void publishAll(FastPublisher publisher, String topic) {
        for (int i = 0; i < RECORDS; i++) {
            publisher.publish(
                    new ProducerRecord<>(topic, bytes("p-1"), bytes(Integer.toString(i))),
                    Delivery.IGNORED);
        }
    }

    /** Does nothing with what it gets, and holds the poll thread up once, beyond the timeout. */
    private static final class StallsOnce implements PartitionHandler {
        static final String STALL = "stall";

        private final List<String> taken = new CopyOnWriteArrayList<>();
        private final List<PartitionFeed> feeds = new CopyOnWriteArrayList<>();
        private final List<Tenure> revoked = new CopyOnWriteArrayList<>();
        private final AtomicInteger silences = new AtomicInteger();
        private final AtomicBoolean stalled = new AtomicBoolean();

        boolean isServing() {
            return taken.contains("before")
                    && feeds.stream().allMatch(feed -> feed.lease().heardAt().isPresent());
        }

        @Override
        public void assigned(PartitionFeed feed) {
            feeds.add(feed);
            feed.continueRequests(0, ProgressCodec.decode("", 0), 0);
        }

        @Override
        public void revoked(Tenure tenure) {
            revoked.add(tenure);
        }

        @Override
        public void dropUnsent() {
            silences.incrementAndGet();
        }

        @Override
        public void records(
                PartitionFeed feed,
                Topic topic,
                List<ConsumerRecord<byte[], byte[]>> records,
                long nextOffset) {
            records.forEach(record -> taken.add(text(record)));
            if (taken.contains(STALL) && !stalled.getAndSet(true)) {
                await().atMost(PATIENCE).until(() -> !feed.lease().isHeld());
            }
        }

        @Override
        public void committed(PartitionFeed feed, long offset) {}
    }

    /** Keeps records until the test looks at them. */
    private static final class Holding implements PartitionHandler {
        private final LinkedBlockingQueue<Batch> held = new LinkedBlockingQueue<>();
        private final Intake intake;
        private volatile long most;

        record Batch(PartitionFeed feed, List<ConsumerRecord<byte[], byte[]>> records) {
            void look() {
                feed.looked(records);
            }
        }

        Holding(Intake intake) {
            this.intake = intake;
        }

        @Override
        public void assigned(PartitionFeed feed) {}

        @Override
        public void revoked(Tenure tenure) {}

        @Override
        public void dropUnsent() {}

        @Override
        public void records(
                PartitionFeed feed,
                Topic topic,
                List<ConsumerRecord<byte[], byte[]>> records,
                long nextOffset) {
            most = Math.max(most, intake.budget().used());
            if (!records.isEmpty()) {
                held.add(new Batch(feed, records));
            }
        }

        @Override
        public void committed(PartitionFeed feed, long offset) {}
    }

    private record Telling(LinkedBlockingQueue<String> endings) implements StateWrite.Ending {
        @Override
        public void committed(List<Long> offsets) {
            endings.add("committed");
        }

        @Override
        public void refused(StateWrite.Refusal refusal) {
            endings.add(refusal.name());
        }
    }
}
