package dev.perigee.gateway.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.secret.Seals;
import dev.perigee.protocol.json.RawJson;
import java.time.Instant;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What others may see of a partition's state")
final class WhereaboutsTest {
    private static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");

    private final StateTopic topic = new StateTopic("state", 0, Seals.with("k"));

    @Test
    @DisplayName("is who has claimed it and which worker has its processes")
    void seen() {
        assertThat(read(topic.claim(new StateRecord.Claim("g", NOW))))
                .isEqualTo(new Whereabouts.Claimed("g", NOW));
        assertThat(read(topic.host(new StateRecord.Host("w", "w/1"))))
                .isEqualTo(new Whereabouts.Hosted("w"));
        assertThat(read(topic.noHost())).isEqualTo(new Whereabouts.Hosted(null));
    }

    @Test
    @DisplayName("is nothing that users brought")
    void unseen() {
        assertThat(read(topic.runtime("p", RawJson.EMPTY_OBJECT))).isNull();
        assertThat(Whereabouts.read("claim".getBytes(UTF_8), null)).isNull();
        assertThat(Whereabouts.read(null, null)).isNull();
    }

    private static @Nullable Whereabouts read(ProducerRecord<byte[], byte[]> record) {
        return Whereabouts.read(record.key(), record.value());
    }
}
