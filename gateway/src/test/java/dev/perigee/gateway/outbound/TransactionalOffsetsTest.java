package dev.perigee.gateway.outbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Offsets that are committed in a transaction of their own")
final class TransactionalOffsetsTest {
    private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS =
            Map.of(new TopicPartition("requests", 1), new OffsetAndMetadata(7));

    private final BoundedProducer producer = new BoundedProducer();
    private final TransactionalOffsets offsets = new TransactionalOffsets(() -> producer);

    @Test
    @DisplayName("go in the name of the member, with a producer that is made for them")
    void commits() {
        offsets.commit(OFFSETS, member());
        assertThat(producer.consumerGroupOffsetsHistory())
                .containsExactly(Map.of("group", OFFSETS));
        assertThat(producer.closed()).isTrue();
    }

    @Test
    @DisplayName("leave no producer behind when they are refused")
    void refused() {
        producer.commitTransactionException = new KafkaException("the test says so");
        assertThatThrownBy(() -> offsets.commit(OFFSETS, member()))
                .isInstanceOf(KafkaException.class);
        assertThat(producer.consumerGroupOffsetsHistory()).isEmpty();
        assertThat(producer.closed()).isTrue();
    }

    @SuppressWarnings("removal") // Nothing else makes metadata without a group.
    private static ConsumerGroupMetadata member() {
        return new ConsumerGroupMetadata("group", 1, "member", Optional.empty());
    }
}
