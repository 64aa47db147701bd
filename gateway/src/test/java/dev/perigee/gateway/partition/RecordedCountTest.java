package dev.perigee.gateway.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.gateway.outbound.BoundedProducer;
import dev.perigee.gateway.partition.RecordedCount.Recorded;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The number of partitions that is recorded")
final class RecordedCountTest {
    private static final String TOPIC = "mcp.state";
    private static final TopicPartition FIRST = new TopicPartition(TOPIC, 0);

    private final RecordedCount recorded = new RecordedCount(TOPIC);
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");

    @Test
    @DisplayName("is none in a fleet that begins")
    void none() {
        contains();
        assertThat(recorded.read(() -> consumer)).isNull();
        assertThat(consumer.closed()).isTrue();
    }

    @Test
    @DisplayName("is the last one that was written, among other records")
    void last() {
        contains(
                "claim={}",
                "fleet={\"partitions\":4}",
                "fleet={\"partitions\":4,\"topic_ids\":{\"commands\":\"id\"}}",
                "host={}");
        assertThat(recorded.read(() -> consumer))
                .isEqualTo(new Recorded(4, Map.of("commands", "id")));
    }

    @Test
    @DisplayName("has no topic ids where an earlier version recorded it")
    void ofAnEarlierVersion() {
        contains("fleet={\"partitions\":4}");
        assertThat(recorded.read(() -> consumer)).isEqualTo(new Recorded(4, Map.of()));
    }

    @Test
    @DisplayName("is written as it is read")
    void written() throws Exception {
        var producer = new BoundedProducer();
        recorded.write(() -> producer, new Recorded(4, Map.of("commands", "id")));
        assertThat(producer.closed()).isTrue();
        var record = producer.history().getFirst();
        assertThat(record.partition()).isZero();

        contains(OwnedPartition.text(record.key()) + "=" + OwnedPartition.text(record.value()));
        assertThat(recorded.read(() -> consumer))
                .isEqualTo(new Recorded(4, Map.of("commands", "id")));
    }

    @Test
    @DisplayName("cannot be written where the topic does not take it")
    void notWritten() {
        var producer = new BoundedProducer();
        producer.mostBytes(1);
        assertThatThrownBy(() -> recorded.write(() -> producer, new Recorded(4, Map.of())))
                .isInstanceOf(KafkaException.class)
                .hasMessageContaining(TOPIC);
        assertThat(producer.closed()).isTrue();
    }

    /** The topic's first partition has these records when it is polled. */
    private void contains(String... records) {
        consumer.updateBeginningOffsets(Map.of(FIRST, 0L));
        consumer.updateEndOffsets(Map.of(FIRST, (long) records.length));
        consumer.schedulePollTask(
                () -> {
                    for (int offset = 0; offset < records.length; offset++) {
                        var parts = records[offset].split("=", 2);
                        consumer.addRecord(
                                new ConsumerRecord<>(
                                        TOPIC,
                                        0,
                                        offset,
                                        parts[0].getBytes(UTF_8),
                                        parts[1].getBytes(UTF_8)));
                    }
                });
    }
}
