package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.BrokerUnreachableException;
import dev.perigee.client.KafkaConnection;
import dev.perigee.client.TopicTail;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.local.port.FreePort;
import dev.perigee.part.gateway.TopicSetup;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tail whose broker goes and comes back. */
class FollowingTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir Path data;
    private final List<String> shown = new CopyOnWriteArrayList<>();
    private final List<String> warned = new CopyOnWriteArrayList<>();

    @Test
    void saysWhenTheBrokerGoesAndComesBack() throws Exception {
        var address = new HostPort("127.0.0.1", FreePort.on("127.0.0.1"));
        var names = new TopicNames("mcp.");
        var kafka = new KafkaConnection(address.toString(), names, Map.of());
        var broker = EmbeddedBroker.start(address, data, Map.of());
        try (var setup = new TopicSetup(kafka)) {
            setup.apply(1, 1, null, false);
        }
        var tail = TopicTail.open(kafka, new TopicTail.Start.End(), Topic.LOGS);
        tail.check();
        broker.close();
        assertThatThrownBy(tail::check).isInstanceOf(BrokerUnreachableException.class);

        var following = Thread.ofVirtual().start(() -> follow(tail));
        await().atMost(LONG).until(() -> warned.size() == 1);
        assertThat(warned.getFirst()).contains("does not answer any more");

        broker = EmbeddedBroker.start(address, data, Map.of());
        try {
            await().atMost(LONG).until(() -> warned.size() >= 2);
            assertThat(warned.get(1)).contains("answers again");
            produce(address.toString());
            await().atMost(LONG).until(() -> shown.equals(List.of("line")));
            following.interrupt();
            assertThat(following.join(LONG)).isTrue();
        } finally {
            broker.close();
        }
    }

    private void follow(TopicTail tail) {
        try (tail) {
            new Following(
                            tail,
                            record -> shown.add(new String(record.value(), StandardCharsets.UTF_8)),
                            warned::add)
                    .run();
        } catch (InterruptException e) {
            // That is how a follower ends.
        }
    }

    private static void produce(String bootstrap) throws Exception {
        try (var producer =
                new KafkaProducer<>(
                        Map.<String, Object>of("bootstrap.servers", bootstrap),
                        new StringSerializer(),
                        new StringSerializer())) {
            producer.send(new ProducerRecord<>("mcp.logs", "p", "line")).get();
        }
    }
}
