package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.limit.ByteBudget;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The memory for records that nobody has looked at")
final class IntakeTest {
    private final Intake intake = new Intake(ByteBudget.of(100));

    @Test
    @DisplayName("has a poll take what there is room for, and the rest read again")
    void leaves() {
        intake.begin();
        assertThat(Intake.firstLeft(read(40, 40, 40, 10))).isEqualTo(2);

        intake.begin();
        assertThat(Intake.firstLeft(read(40, 60))).isEqualTo(-1);
    }

    @Test
    @DisplayName("has a poll take one in any case")
    void first() {
        intake.budget().take(100);
        intake.begin();
        assertThat(Intake.firstLeft(read(500, 1))).isEqualTo(1);
    }

    @Test
    @DisplayName("takes records without a value, and those with an empty one")
    void empty() {
        intake.begin();
        assertThat(read(0).getFirst().value()).isEmpty();
        assertThat(intake.values().deserialize("t", new RecordHeaders(), (ByteBuffer) null))
                .isNull();
        assertThat(Intake.firstLeft(read(0, 0))).isEqualTo(-1);
    }

    @Test
    @DisplayName("copies a value as it stands in its buffer")
    void copies() {
        intake.begin();
        var buffer = ByteBuffer.wrap(new byte[] {1, 2, 3, 4});
        buffer.position(1).limit(3);
        assertThat(intake.values().deserialize("t", new RecordHeaders(), buffer))
                .containsExactly(2, 3);
        assertThat(buffer.remaining()).isEqualTo(2);
    }

    @Test
    @DisplayName("lets those read on who have nothing unread, and all while there is room")
    void whoMayRead() {
        var one = intake.share();
        var other = intake.share();
        one.take(99);
        assertThat(one.mayRead()).isTrue();
        one.take(1);
        assertThat(one.mayRead()).isFalse();
        assertThat(other.mayRead()).isTrue();
        other.take(50);
        assertThat(other.mayRead()).isFalse();

        other.give(50);
        assertThat(other.mayRead()).isTrue();
        assertThat(one.mayRead()).isFalse();
    }

    @Test
    @DisplayName("has all of a partition's records back when it goes, once")
    void closed() {
        var share = intake.share();
        share.take(70);
        share.take(20);
        share.give(20);
        share.close();
        share.close();
        share.give(70);
        share.take(10);

        assertThat(intake.budget().used()).isZero();
    }

    private List<ConsumerRecord<byte[], byte[]>> read(int... sizes) {
        return IntStream.of(sizes).mapToObj(this::record).toList();
    }

    private ConsumerRecord<byte[], byte[]> record(int size) {
        byte @Nullable [] value =
                intake.values()
                        .deserialize("t", new RecordHeaders(), ByteBuffer.wrap(new byte[size]));
        return new ConsumerRecord<>(
                "t",
                0,
                0,
                0,
                TimestampType.CREATE_TIME,
                0,
                size,
                new byte[0],
                value,
                new RecordHeaders(),
                Optional.empty());
    }
}
