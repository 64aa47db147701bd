package dev.perigee.gateway.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class KeptRecordsTest {
    private final KeptRecords<Long> kept = new KeptRecords<>();

    @Test
    void keepTheirOrderAlsoWhenOneComesBack() {
        put(1, "a", 1);
        put(2, "b", 1);
        assertThat(kept.takeFirst()).isEqualTo(1);
        put(3, "a", 1);
        put(1, "a", 1);

        assertThat(kept.all()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void giveUpTheOldestOfWhoeverHasTheMost() {
        put(0, "quiet", 10);
        for (long number = 1; number <= KeptRecords.MOST_RECORDS; number++) {
            put(number, "loud", 10);
        }

        assertThat(kept.takeSurplus()).isEqualTo(1);
        assertThat(kept.takeSurplus()).isNull();
        assertThat(kept.takeFirst()).isZero();
    }

    @Test
    void areBoundedInBytesButForOne() {
        put(1, "a", (int) KeptRecords.MOST_BYTES + 1);
        assertThat(kept.takeSurplus()).isNull();
        put(2, "b", 1);
        assertThat(kept.takeSurplus()).isEqualTo(1);
        assertThat(kept.takeSurplus()).isNull();
    }

    private void put(long number, String key, int bytes) {
        var record =
                new ProducerRecord<>("t", key.getBytes(StandardCharsets.UTF_8), new byte[bytes]);
        kept.put(number, record, number);
    }
}
