package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The test fleet itself")
final class HarnessTest {

    private static final TopicNames NAMES = new TopicNames("mcp.");

    @Test
    void awaitsRecordsAndSaysWhatCameInstead(@TempDir Path data) throws Exception {
        try (var broker = EmbeddedBroker.start(data)) {
            try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
                var topics =
                        Stream.concat(NAMES.all().stream(), Stream.of("mcp." + Records.REPLIES))
                                .map(name -> new NewTopic(name, 2, (short) 1));
                admin.createTopics(topics.toList()).all().get();
            }
            try (var records = Records.reading(broker.bootstrap(), NAMES);
                    var backend = new Backend(broker.bootstrap(), NAMES, records)) {
                backend.send(Topic.STATUS, "p", bytes("{\"status\":\"online\"}"));
                backend.send(Topic.STATUS, "q", bytes("no json"));

                var notJson = records.await(Topic.STATUS, "q", r -> r.key().equals("q"));
                assertThat(notJson.json().isMissingNode()).isTrue();
                assertThat(status(records, "online").key()).isEqualTo("p");
                assertThatThrownBy(
                                () ->
                                        records.await(
                                                Topic.STATUS,
                                                "status offline",
                                                1,
                                                r -> r.text("status").equals("offline"),
                                                Duration.ofMillis(300)))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContainingAll("status offline", "\"online\"");
            }
        }
    }

    @Test
    void findsProcessesWhoseParentIsGone() throws Exception {
        var marked = new Marked();
        var builder = new ProcessBuilder("sh", "-c", "sleep 60 & sleep 60 &");
        builder.environment().putAll(marked.environment());
        builder.start().waitFor();
        try {
            Awaitility.await().untilAsserted(() -> assertThat(marked.processes()).hasSize(2));
        } finally {
            marked.processes().forEach(ProcessHandle::destroyForcibly);
        }
        Awaitility.await().untilAsserted(() -> assertThat(marked.processes()).isEmpty());
    }

    @Test
    void readsReadyLines() {
        assertThat(
                        ReadyLineReader.fields(
                                "ready worker-1 pid=7 link=ws://h:1/link admin=http://h:2"))
                .containsEntry("name", "worker-1")
                .containsEntry("pid", "7")
                .containsEntry("link", "ws://h:1/link")
                .containsEntry("admin", "http://h:2");
    }

    private static Received status(Records records, String status) {
        return records.await(Topic.STATUS, status, r -> r.text("status").equals(status));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
