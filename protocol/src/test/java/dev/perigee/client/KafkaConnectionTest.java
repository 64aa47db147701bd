package dev.perigee.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.TopicNames;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class KafkaConnectionTest {
    @Test
    @DisplayName("a producer has one request under way, whatever the properties say")
    void hasOneUnderWay() {
        var connection =
                new KafkaConnection(
                        "127.0.0.1:1",
                        new TopicNames(TopicNames.DEFAULT_PREFIX),
                        Map.of("max.in.flight.requests.per.connection", "5", "linger.ms", "7"));

        assertThat(connection.producerConfig(Map.of("linger.ms", 0)))
                .containsEntry("max.in.flight.requests.per.connection", 1)
                .containsEntry("linger.ms", "7");
    }
}
