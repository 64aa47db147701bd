package dev.perigee.gateway.outbound;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The records for backends")
final class PublicRecordsTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final StatusChanged LOST =
            new StatusChanged(ServerStatus.CONNECTING, "lost", ServerStatus.ONLINE, null);

    private final PublicRecords records =
            new PublicRecords(new TopicNames(TopicNames.DEFAULT_PREFIX), InstantSource.fixed(NOW));

    @Test
    @DisplayName("OWN-13: have an id for each status that a gateway tells under one claim")
    void statusesOfOneClaimDiffer() {
        assertThat(id(7, "lost", NOW))
                .isEqualTo(id(7, "lost", NOW))
                .isNotEqualTo(id(7, "lost", NOW.plusMillis(1)))
                .isNotEqualTo(id(7, "found", NOW))
                .isNotEqualTo(id(8, "lost", NOW))
                .startsWith("p/7/")
                .endsWith("/lost");
    }

    @Test
    @DisplayName("of a worker's heartbeat have the same id at every gateway that hears it")
    void heartbeats() {
        var heartbeat = RawJson.of("{\"worker_id\":\"w\"}");
        var one = records.heartbeat("w", heartbeat);
        assertThat(one.topic()).isEqualTo("mcp.heartbeats");
        assertThat(one.key()).isEqualTo("w".getBytes(UTF_8));
        assertThat(one.value()).isEqualTo(heartbeat.bytes());
        assertThat(header(one, Headers.CE_ID))
                .startsWith("w/")
                .isEqualTo(header(records.heartbeat("w", heartbeat), Headers.CE_ID))
                .isNotEqualTo(header(records.heartbeat("w", RawJson.of("{}")), Headers.CE_ID));
    }

    @Test
    @DisplayName("that remove something of the state go to its partition, others by their key")
    void tombstones() {
        assertThat(records.tombstone(Topic.STATE, 3, "instance/p").partition()).isEqualTo(3);
        assertThat(records.tombstone(Topic.STATUS, 3, "p").partition()).isNull();
        assertThat(records.tombstone(Topic.STATUS, 3, "p").value()).isNull();
    }

    private static String header(ProducerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    private String id(long epoch, String what, Instant at) {
        var origin = new EventOrigin("p", null, "i", null, "s", "t", "u", "worker-1", 0, at);
        var told = records.status(3, epoch, what, origin, LOST);
        return new String(told.headers().lastHeader(Headers.CE_ID).value(), UTF_8);
    }
}
