package dev.perigee.local.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replay between two clusters, on each with the rights that {@code perigee acls} says. */
final class SecuredReplayTest {
    private static final String COMMANDS =
            new TopicNames(TopicNames.DEFAULT_PREFIX).of(Topic.COMMANDS);

    @TempDir private Path directory;

    @Test
    @DisplayName("perigee replay reads, writes and resumes with the least rights on both sides")
    void replaysWithTheLeastRights() throws Exception {
        try (var source = broker("source");
                var target = broker("target")) {
            grant(source, "replay-source");
            grant(target, "replay-target");
            send(source, "first");
            var from = source.file("replay-source").toString();
            var to = target.file("replay-target").toString();

            var first = replay(from, to);
            assertThat(first.out()).as(first.err()).contains("sent 1 records, refused 0");

            send(source, "second");
            var refused = replay(from, source.file("replay-source").toString());
            assertThat(refused.exitCode()).isNotZero();
            assertThat(refused.out()).doesNotContain("sent");
            var swapped = replay(to, from);
            assertThat(swapped.exitCode()).isNotZero();
            assertThat(swapped.err().lines()).as(swapped.err()).hasSizeLessThan(4);

            var second = replay(from, to);
            assertThat(second.out()).as(second.err()).contains("sent 2 records, refused 0");
            assertThat(second.out() + second.err()).doesNotContain("s3cret");
        }
    }

    private SecuredBroker broker(String name) throws Exception {
        var broker = new SecuredBroker(Files.createDirectory(directory.resolve(name)));
        broker.add("replay-source", "replay-target");
        perigee(broker, "topics", "--partitions", "2");
        return broker;
    }

    private static void grant(SecuredBroker broker, String role) throws Exception {
        perigee(broker, "acls", role, "--create");
        broker.awaitRights(role);
    }

    private static void perigee(SecuredBroker broker, String... arguments) throws Exception {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--bootstrap", broker.bootstrap()));
        all.addAll(List.of("--kafka-config", broker.file(SecuredBroker.ADMIN).toString()));
        var run = CliRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private static CliRun replay(String from, String to) {
        return CliRun.of("replay", "--from", from, "--to", to, "--speed", "max", "--wait", "0s");
    }

    private static void send(SecuredBroker broker, String id) throws Exception {
        var command =
                """
                {"id":"%s","command_type":"restart",
                 "payload":{"installation_id":"i","team_id":"t1","user_id":"u1"}}
                """
                        .formatted(id);
        Map<String, Object> config = new HashMap<>(broker.client(SecuredBroker.ADMIN));
        try (var producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(
                            new ProducerRecord<>(
                                    COMMANDS, "t1/u1".getBytes(UTF_8), command.getBytes(UTF_8)))
                    .get(30, TimeUnit.SECONDS);
        }
    }
}
