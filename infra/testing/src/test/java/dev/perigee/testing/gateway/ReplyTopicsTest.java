package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A reply topic")
final class ReplyTopicsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Sooner than the outage ends, and not by a broker that is slow for a moment. */
    private static final Map<String, String> GIVE_UP_SOON =
            Map.of("kafka.delivery.timeout.ms", "3000", "kafka.request.timeout.ms", "2000");

    @TempDir private Path data;

    private final Installation installation = Installation.of("echo", "node", List.of());

    @Test
    @DisplayName("that vanishes or never was holds nobody up")
    void thatVanishes() throws Exception {
        try (var broker = EmbeddedBroker.start(data);
                var test = new GatewayUnderTest(broker.bootstrap());
                var _ = test.start("a", GIVE_UP_SOON)) {
            test.backend.install(installation);
            ask(test, "r-1", "replies");
            test.records.awaitReply("r-1", received -> received.key().equals("r-1"));

            test.deleteTopic("replies");
            ask(test, "r-2", "replies");
            ask(test, "r-3", "never-was");

            assertThat(test.backend.answer("r-2").text("outcome")).isEqualTo("success");
            assertThat(test.backend.answer("r-3").text("outcome")).isEqualTo("success");
            await().atMost(PATIENCE).until(() -> committed(test) == 3);
        }
    }

    @Test
    @DisplayName("gets what was answered while no broker was there, however long that took")
    void afterAnOutage() throws Exception {
        try (var broker = BrokerBehindNetwork.start(data);
                var test = new GatewayUnderTest(broker.bootstrap());
                var _ = test.start("a", broker.behind(), GIVE_UP_SOON)) {
            test.backend.install(installation);
            ask(test, "r-1", "replies");
            test.records.awaitReply("r-1", received -> received.key().equals("r-1"));
            test.fleet.calls = HandMadeFleet.Calls.KEEP_SILENT;
            ask(test, "r-2", "replies");
            await().atMost(PATIENCE).until(() -> test.fleet.executed.size() == 2);

            broker.network().partition();
            test.fleet.answerAll();
            var muchLater = Instant.now().plusSeconds(5);
            await().atMost(PATIENCE).until(() -> Instant.now().isAfter(muchLater));
            broker.network().heal();

            test.records.awaitReply("r-2", received -> received.key().equals("r-2"));
        }
    }

    private void ask(GatewayUnderTest test, String id, String replyTopic) {
        var record =
                new ProducerRecord<>(
                        test.names.of(Topic.TOOL_REQUESTS),
                        bytes(installation.key()),
                        bytes(
                                """
                                {"request_id":"%s","team_id":"%s","user_id":"%s",
                                 "method":"tools/list"}"""
                                        .formatted(
                                                id, installation.teamId(), installation.userId())));
        record.headers().add(Headers.REPLY_TOPIC, bytes(test.names.prefix() + replyTopic));
        test.backend.send(record);
    }

    private long committed(GatewayUnderTest test) {
        return test.committed(
                Topic.TOOL_REQUESTS,
                Utils.toPositive(Utils.murmur2(bytes(installation.key())))
                        % GatewayUnderTest.PARTITIONS);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
