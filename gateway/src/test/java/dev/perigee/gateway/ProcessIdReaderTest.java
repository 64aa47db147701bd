package dev.perigee.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.TopicFollower;
import dev.perigee.gateway.partition.ProcessIdOwners;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The reader of process ids")
final class ProcessIdReaderTest {
    private static final String TOPIC = "mcp.status";

    @Test
    @DisplayName("TEN-01: reads on after what is no status, and after a failure")
    void readsOn() throws Exception {
        var seen = new LinkedBlockingQueue<String>();
        var told = new ProcessIdReader(TOPIC, new ProcessIdOwners());
        var consumers = new LinkedBlockingQueue<MockConsumer<byte[], byte[]>>();
        try (var tail =
                new TopicFollower(
                        "test",
                        () -> {
                            var consumer = consumer();
                            consumers.add(consumer);
                            return consumer;
                        },
                        new Told(told, seen))) {
            tail.start();
            var first = consumers.take();
            first.schedulePollTask(
                    () -> {
                        first.addRecord(record(0, "a", "no status"));
                        first.addRecord(record(1, "a", null));
                    });
            assertThat(next(seen)).isEqualTo("caught up");
            assertThat(next(seen)).isEqualTo("0");
            assertThat(next(seen)).isEqualTo("1");
            first.schedulePollTask(() -> first.setPollException(new KafkaException("broken")));
            assertThat(next(seen)).isEqualTo("broken");

            var second = consumers.take();
            second.schedulePollTask(() -> second.addRecord(record(2, "a", "{}")));
            assertThat(next(seen)).isEqualTo("caught up");
            assertThat(next(seen)).isEqualTo("2");
        }
    }

    private static String next(BlockingQueue<String> seen) throws InterruptedException {
        var next = seen.poll(30, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    private static MockConsumer<byte[], byte[]> consumer() {
        var consumer = new MockConsumer<byte[], byte[]>("earliest");
        var node = new Node(1, "localhost", 1);
        var info = new PartitionInfo(TOPIC, 0, node, new Node[] {node}, new Node[] {node});
        consumer.updatePartitions(TOPIC, List.of(info));
        consumer.updateBeginningOffsets(Map.of(new TopicPartition(TOPIC, 0), 0L));
        consumer.updateEndOffsets(Map.of(new TopicPartition(TOPIC, 0), 0L));
        return consumer;
    }

    private static ConsumerRecord<byte[], byte[]> record(
            long offset, String key, @Nullable String value) {
        return new ConsumerRecord<>(
                TOPIC, 0, offset, bytes(key), value == null ? null : bytes(value));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Tells what happened, and passes it on. */
    private record Told(ProcessIdReader to, BlockingQueue<String> seen)
            implements TopicFollower.Reader {
        @Override
        public Map<TopicPartition, Long> starts(Consumer<byte[], byte[]> consumer) {
            return to.starts(consumer);
        }

        @Override
        public void take(ConsumerRecord<byte[], byte[]> record) {
            to.take(record);
            seen.add(String.valueOf(record.offset()));
        }

        @Override
        public void caughtUp() {
            seen.add("caught up");
        }

        @Override
        public void problem(@Nullable KafkaException problem) {
            to.problem(problem);
            if (problem != null) {
                seen.add(String.valueOf(problem.getMessage()));
            }
        }
    }
}
