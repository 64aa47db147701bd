package dev.perigee.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.outbound.FastPublisher;
import dev.perigee.gateway.outbound.TopicHealth;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class FleetListenerTest {

    @Test
    void keepsOnlyTheNewestHeartbeatWhileTheBrokerIsAway() {
        var producer =
                new MockProducer<byte[], byte[]>(
                        false, null, new ByteArraySerializer(), new ByteArraySerializer());
        var names = new TopicNames("mcp.");
        try (var publisher =
                new FastPublisher(
                        () -> producer, new TopicHealth(names), new SimpleMeterRegistry())) {
            var listener = new FleetListener(publisher, names, InstantSource.system());

            for (int beat = 1; beat <= 5; beat++) {
                listener.heartbeat("w", RawJson.of("{\"beat\":" + beat + "}"));
            }
            await().until(producer::completeNext);
            await().until(producer::completeNext);
            listener.heartbeat("w", RawJson.of("{\"beat\":6}"));
            await().until(producer::completeNext);

            assertThat(producer.history())
                    .extracting(record -> new String(record.value(), StandardCharsets.UTF_8))
                    .containsExactly("{\"beat\":1}", "{\"beat\":5}", "{\"beat\":6}");
        }
    }
}
