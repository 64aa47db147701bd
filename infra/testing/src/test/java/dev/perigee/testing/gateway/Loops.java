package dev.perigee.testing.gateway;

import dev.perigee.gateway.inbound.CoPartitionedAssignor;
import dev.perigee.gateway.inbound.FeedLimits;
import dev.perigee.gateway.inbound.Intake;
import dev.perigee.gateway.inbound.Membership;
import dev.perigee.gateway.inbound.PartitionFeed;
import dev.perigee.gateway.inbound.PartitionHandler;
import dev.perigee.gateway.inbound.PollLoop;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.gateway.outbound.TransactionalOffsets;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;

/** A gateway's loops by themselves, in a group of the test's own, and what belongs to them. */
final class Loops {
    private Loops() {}

    static String group(GatewayUnderTest test) {
        return test.names.prefix() + "loops";
    }

    static KafkaConsumer<byte[], byte[]> member(GatewayUnderTest test) {
        return member(test, new ByteArrayDeserializer());
    }

    static KafkaConsumer<byte[], byte[]> member(
            GatewayUnderTest test, Deserializer<byte[]> values) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        test.bootstrap,
                        "group.id",
                        group(test),
                        "auto.offset.reset",
                        "earliest",
                        "enable.auto.commit",
                        "false",
                        "partition.assignment.strategy",
                        CoPartitionedAssignor.class.getName(),
                        CoPartitionedAssignor.LEADING_TOPIC,
                        test.names.of(Topic.COMMANDS),
                        CoPartitionedAssignor.MIRRORED_TOPIC,
                        test.names.of(Topic.TOOL_REQUESTS)),
                new ByteArrayDeserializer(),
                values);
    }

    static KafkaProducer<byte[], byte[]> producer(GatewayUnderTest test, Map<String, Object> more) {
        var config = new HashMap<String, Object>(more);
        config.put("bootstrap.servers", test.bootstrap);
        config.put("linger.ms", 0);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(ConsumerRecord<byte[], byte[]> raw) {
        return new String(raw.value(), StandardCharsets.UTF_8);
    }

    static PollLoop loop(GatewayUnderTest test, Duration sessionTimeout, PartitionHandler handler) {
        return new PollLoop(
                member(test),
                test.names,
                new FeedLimits(100, 1 << 20),
                sessionTimeout,
                new Intake(ByteBudget.of(1 << 20)),
                new Membership(),
                handler,
                new TransactionalOffsets(
                        () ->
                                producer(
                                        test,
                                        Map.of("transactional.id", group(test) + "-rebalance"))));
    }

    /** Fails on the first records that it gets, whatever they are. */
    static final class FailsOnce implements PartitionHandler {
        final List<String> taken = new CopyOnWriteArrayList<>();
        final AtomicInteger failures = new AtomicInteger();

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
            if (!records.isEmpty() && failures.incrementAndGet() == 1) {
                throw new IllegalStateException("a bug");
            }
            records.forEach(record -> taken.add(text(record)));
        }

        @Override
        public void committed(PartitionFeed feed, long offset) {}
    }
}
