package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.gateway.secret.StateSeal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class StateReaderTest {
    private static final String TOPIC = "state";
    private static final long NOTHING = -1;

    private final List<MockConsumer<byte[], byte[]>> consumers = new ArrayList<>();
    private Instant now = Instant.parse("2026-11-20T10:00:00Z");

    @Test
    void keepsAConsumerForTheNextPartitionButNotForLong() throws Exception {
        try (var reader =
                new StateReader(this::consumer, TOPIC, new StateSeal(null), 4, () -> now)) {
            reader.read(0, NOTHING);
            now = now.plus(StateReader.KEPT).minusMillis(1);
            reader.read(1, NOTHING);
            assertThat(consumers).hasSize(1);

            now = now.plus(StateReader.KEPT);
            reader.read(0, NOTHING);
            assertThat(consumers).hasSize(2);
            assertThat(consumers.getFirst().closed()).isTrue();
        }
        assertThat(consumers).allMatch(MockConsumer::closed);
    }

    @Test
    void givesUpBehindATransactionThatDoesNotEnd() {
        Supplier<Instant> later = () -> now = now.plusSeconds(1);
        try (var reader =
                new StateReader(this::consumer, TOPIC, new StateSeal(null), 4, later::get)) {
            assertThatThrownBy(() -> reader.read(1, 5))
                    .isInstanceOf(KafkaException.class)
                    .hasMessageStartingWith("state-1 is not read beyond offset 0");
        }
        assertThat(consumers).as("not used again").allMatch(MockConsumer::closed);
    }

    private Consumer<byte[], byte[]> consumer() {
        var consumer = new MockConsumer<byte[], byte[]>("earliest");
        consumer.updateBeginningOffsets(
                Map.of(new TopicPartition(TOPIC, 0), 0L, new TopicPartition(TOPIC, 1), 0L));
        consumers.add(consumer);
        return consumer;
    }
}
