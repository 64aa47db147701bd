package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.worker.mcp.HttpFixture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("OPS-13: secrets by reference, in a whole fleet")
final class SecretsByReferenceTest {
    private static final String FIRST = "f1rst-" + System.nanoTime();
    private static final String SECOND = "s3cond-" + System.nanoTime();
    private static final String TOKEN = "t0ken-" + System.nanoTime();
    private static final String NEW_TOKEN = "n3w-t0ken-" + System.nanoTime();
    private static final String LAST_TOKEN = "l4st-t0ken-" + System.nanoTime();
    private static final String HI = "{\"message\":\"hi\"}";

    @TempDir private Path directory;

    private void secret(Installation of, String name, String value) throws Exception {
        var own = directory.resolve(of.teamId()).resolve(of.userId());
        Files.createDirectories(own);
        var next = Files.writeString(own.resolve(".next"), value + "\n");
        Files.move(next, own.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    @DisplayName("files: each user's own, newer ones with a restart or request, nowhere to be read")
    void files() throws Exception {
        try (var fleet =
                        FleetUnderTest.named("secrets-in-files")
                                .worker("secrets.directory", directory.toString())
                                .start();
                var http = HttpFixture.start()) {
            var backend = fleet.backend();
            var server = Installation.fixture().withReference("env", "MY_KEY", "api-key");
            rotated(fleet, server);
            stranger(backend, server);

            http.order("{'token':'" + TOKEN + "'}");
            var elsewhere =
                    Installation.elsewhere("http", http.url())
                            .withReference("headers", "Authorization", "token");
            secret(elsewhere, "token", "Bearer " + TOKEN);
            backend.install(elsewhere);
            secret(elsewhere, "token", "Bearer " + NEW_TOKEN);
            http.order("{'token':'" + NEW_TOKEN + "'}");
            assertThat(backend.text(elsewhere, "echo", HI)).isEqualTo("hi");

            http.order("{'token':'" + LAST_TOKEN + "'}");
            assertThat(backend.call(elsewhere, "echo", HI).text("error/code"))
                    .isEqualTo("requires_reauth");
            backend.status(elsewhere, "requires_reauth");
            secret(elsewhere, "token", "Bearer " + LAST_TOKEN);
            await().atMost(Records.PATIENCE)
                    .until(
                            () ->
                                    backend.call(elsewhere, "echo", HI)
                                            .text("outcome")
                                            .equals("success"));

            assertNowhere(fleet);
        }
    }

    /** Installed with one value, configured anew without a restart, restarted with the next. */
    private void rotated(FleetUnderTest fleet, Installation server) throws Exception {
        var backend = fleet.backend();
        secret(server, "api-key", FIRST);
        backend.install(server);
        var pid = backend.text(server, "pid", "{}");
        assertThat(environment(pid)).contains("MY_KEY=" + FIRST);

        secret(server, "api-key", SECOND);
        backend.result(backend.configure(server, "mcp_installation_updated"));
        assertThat(backend.text(server, "pid", "{}")).isEqualTo(pid);

        var restarted =
                backend.result(backend.command(server, "restart", UnaryOperator.identity()));
        assertThat(restarted.text("outcome")).as(restarted.toString()).isEqualTo("completed");
        assertThat(environment(backend.text(server, "pid", "{}"))).contains("MY_KEY=" + SECOND);
    }

    /** What its test started, as the same user. */
    private static List<String> environment(String pid) throws Exception {
        var bytes = Files.readAllBytes(Path.of("/proc", pid, "environ"));
        return List.of(new String(bytes, StandardCharsets.UTF_8).split("\0", -1));
    }

    /** A colleague has no such secret, and cannot name another's. */
    private void stranger(Backend backend, Installation server) {
        var stranger = server.ofUser("stranger");
        var failed = backend.result(backend.configure(stranger, "mcp_installation_created"));
        assertThat(failed.text("outcome")).as(failed.toString()).isEqualTo("failed");
        assertThat(failed.text("result/resulting_status")).isEqualTo("error");
        assertThat(failed.text("error/message")).contains("The secret 'api-key' cannot be had");

        var climbing =
                server.ofUser("climber")
                        .withReference("env", "MY_KEY", "../" + server.userId() + "/api-key");
        var rejected = backend.result(backend.configure(climbing, "mcp_installation_created"));
        assertThat(rejected.text("outcome")).as(rejected.toString()).isEqualTo("rejected");
        assertThat(rejected.text("error/message")).contains("MY_KEY");
    }

    @Test
    @DisplayName("command: asked at each start; plain ones are refused where they are forbidden")
    void command() throws Exception {
        var program = directory.resolve("provider");
        Files.writeString(
                program,
                """
                #!/bin/sh
                echo "asked for $3" >&2
                exec cat "%s/$1/$2/$3"
                """
                        .formatted(directory));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        try (var fleet =
                FleetUnderTest.named("secrets-by-command")
                        .gateway("secrets.plain", "forbid")
                        .worker("secrets.provider", "command")
                        .worker("secrets.command", program.toString())
                        .start()) {
            var backend = fleet.backend();
            var server = Installation.fixture().withReference("env", "MY_KEY", "api-key");
            rotated(fleet, server);
            stranger(backend, server);
            assertNowhere(fleet);
            assertThat(fleet.part("worker-1").output()).doesNotContain("asked for api-key");

            var plain = Installation.fixture().withEnv("API_KEY", FIRST);
            var id = backend.configure(plain, "mcp_installation_created");
            var rejected = backend.result(id);
            assertThat(rejected.text("outcome")).as(rejected.toString()).isEqualTo("rejected");
            assertThat(rejected.text("error/code")).isEqualTo("invalid");
            assertThat(rejected.text("error/message"))
                    .contains("config.env.API_KEY")
                    .contains("secrets.plain=forbid")
                    .doesNotContain(FIRST);
            var letter =
                    fleet.records()
                            .await(
                                    Topic.DEAD_LETTERS,
                                    "dead letter of " + id,
                                    r -> r.text("id").equals(id));
            assertThat(letter.header("perigee-reason")).isEqualTo("invalid");
            backend.install(Installation.fixture().withEnv("NODE_ENV", "production"));
        }
    }

    /** Neither in a topic, the state's included, nor in what a part said or shows. */
    private static void assertNowhere(FleetUnderTest fleet) {
        var texts = new ArrayList<String>();
        everything(fleet.bootstrap()).forEach(record -> texts.add(text(record)));
        assertThat(texts).anyMatch(text -> text.contains("{\"ref\":\"api-key\"}"));
        for (var part : fleet.parts().values()) {
            texts.add(part.output());
        }
        for (var secret : List.of(FIRST, SECOND, TOKEN, NEW_TOKEN, LAST_TOKEN)) {
            assertThat(texts).noneMatch(text -> text.contains(secret));
        }
    }

    private static String text(ConsumerRecord<byte[], byte[]> record) {
        var text = new StringBuilder();
        var headers = record.headers().toArray();
        for (var header : headers) {
            text.append(header.key()).append('=').append(text(header.value())).append('\n');
        }
        return text.append(text(record.key())).append('\n').append(text(record.value())).toString();
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** All records of all topics by now, aborted ones included. */
    private static List<ConsumerRecord<byte[], byte[]>> everything(String bootstrap) {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrap);
        try (var consumer =
                new KafkaConsumer<>(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partitions =
                    consumer.listTopics().values().stream()
                            .flatMap(List::stream)
                            .map(info -> new TopicPartition(info.topic(), info.partition()))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            var deadline = System.nanoTime() + Records.PATIENCE.toNanos();
            while (!partitions.stream()
                    .allMatch(each -> consumer.position(each) >= ends.getOrDefault(each, 0L))) {
                assertThat(System.nanoTime()).as("topics are read in time").isLessThan(deadline);
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
        }
        return records;
    }
}
