package dev.perigee.testing.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("Secrets in the state topic")
final class StateSecretsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final String SECRET = "s3cret-" + System.nanoTime();
    private static final String OLD = "old:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    private static final String NEW = "new:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";

    /** More than are encrypted anew at a time. */
    private static final int MANY = 70;

    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation =
            Installation.of("echo", "node", List.of()).withEnv("API_KEY", SECRET);
    @AutoClose private GatewayUnderTest test;

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
    }

    private Gateway start(String keys) throws Exception {
        return test.start("a", Map.of("state.encryption-keys", keys));
    }

    /** The newest value of each name, tombstones left out. */
    private Map<String, byte[]> state() {
        var newest = new HashMap<String, byte[]>();
        Map<String, Object> config =
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrap(),
                        "isolation.level",
                        "read_committed");
        try (var consumer =
                new KafkaConsumer<>(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partitions =
                    IntStream.range(0, GatewayUnderTest.PARTITIONS)
                            .mapToObj(p -> new TopicPartition(test.names.of(Topic.STATE), p))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            while (!partitions.stream()
                    .allMatch(p -> consumer.position(p) >= ends.getOrDefault(p, 0L))) {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    var name = new String(record.key(), UTF_8);
                    if (record.value() == null) {
                        newest.remove(name);
                    } else {
                        newest.put(name, record.value());
                    }
                }
            }
        }
        return newest;
    }

    private byte[] instance() {
        return Objects.requireNonNull(state().get("instance/" + installation.processId()));
    }

    private void assertServes() {
        var request =
                test.backend.request(
                        installation,
                        "echo",
                        "{}",
                        it -> it.put("installation_id", installation.installationId()));
        var answer = test.backend.answer(request);
        assertThat(answer.text("outcome")).as(answer.toString()).isEqualTo("success");
    }

    private static String ready(Gateway gateway) throws Exception {
        var page = gateway.adminUri().resolve("/health/ready").toURL();
        var connection = (HttpURLConnection) page.openConnection();
        try (var body =
                connection.getResponseCode() < 400
                        ? connection.getInputStream()
                        : connection.getErrorStream()) {
            return new String(body.readAllBytes(), UTF_8);
        }
    }

    @Test
    @DisplayName("are encrypted with the key, also those that were there before it")
    void encrypts() throws Exception {
        try (var _ = test.start("a")) {
            test.backend.install(installation);
            assertThat(new String(instance(), UTF_8)).contains(SECRET);
        }
        try (var _ = start(OLD)) {
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(new String(instance(), UTF_8)).doesNotContain(SECRET));
            assertServes();
            var other = Installation.of("echo", "node", List.of()).withEnv("API_KEY", SECRET);
            test.backend.install(other);
            assertThat(state()).containsKey("instance/" + other.processId());
        }
        for (var record : state().entrySet()) {
            assertThat(new String(record.getValue(), UTF_8))
                    .as(record.getKey())
                    .doesNotContain(SECRET);
        }
    }

    @Test
    @DisplayName("go over to a new key, and nothing is started anew for it")
    void rotates() throws Exception {
        try (var _ = start(OLD)) {
            var others = IntStream.range(0, MANY).mapToObj(i -> installation.as("echo", "i" + i));
            // All are done: what is not, the next gateway may do once more.
            test.backend.install(Stream.concat(others, Stream.of(installation)).toList());
            assertThat(new String(instance(), UTF_8)).startsWith("\1\3old").doesNotContain(SECRET);
        }
        try (var gateway = start(NEW + "," + OLD)) {
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(new String(instance(), UTF_8)).startsWith("\1\3new"));
            assertServes();
            await().atMost(PATIENCE)
                    .until(
                            () ->
                                    gateway.metrics()
                                                    .get("perigee.gateway.state.outdated")
                                                    .gauge()
                                                    .value()
                                            == 0);
        }
        try (var _ = start(NEW)) {
            assertServes();
        }
        assertThat(test.fleet.applied).hasSize(1 + MANY);
    }

    @Test
    @DisplayName("keep their partition waiting when their key is missing, and nothing is lost")
    void waitsForTheKey() throws Exception {
        try (var _ = start(OLD)) {
            test.backend.install(installation);
        }
        var before = instance();
        String request;
        try (var gateway = start(NEW)) {
            request = test.backend.request(installation, "echo", "{}");
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () ->
                                    assertThat(ready(gateway))
                                            .contains("it needs the key old")
                                            .contains("state.encryption-keys")
                                            .doesNotContain(SECRET));
            assertThat(instance()).isEqualTo(before);
        }
        try (var _ = start(NEW + "\n" + OLD)) {
            assertThat(test.backend.answer(request).text("outcome")).isEqualTo("success");
            assertThat(test.fleet.applied).hasSize(1);
        }
    }
}
