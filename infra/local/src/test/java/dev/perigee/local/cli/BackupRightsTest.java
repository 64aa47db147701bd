package dev.perigee.local.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("OPS-15: the rights of perigee backup and restore")
final class BackupRightsTest {
    private SecuredBroker broker;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        broker = new SecuredBroker(Files.createDirectory(directory.resolve("broker")));
    }

    @AfterAll
    void stop() {
        broker.close();
    }

    private CliRun as(String user, String prefix, String... arguments) throws Exception {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(
                List.of(
                        "--bootstrap",
                        broker.bootstrap(),
                        "--prefix",
                        prefix,
                        "--kafka-config",
                        broker.file(user).toString()));
        return CliRun.of(all.toArray(String[]::new));
    }

    @Test
    @DisplayName("are enough, and the right to make a backup restores none")
    void areTheLeast(@TempDir Path folder) throws Exception {
        broker.add("backup", "restore");
        for (var prefix : List.of("mcp.", "new.")) {
            assertThat(as(SecuredBroker.ADMIN, prefix, "topics", "--partitions", "1").exitCode())
                    .isZero();
        }
        for (var grant : List.of(List.of("mcp.", "backup"), List.of("new.", "restore"))) {
            var granted =
                    as(SecuredBroker.ADMIN, grant.getFirst(), "acls", grant.getLast(), "--create");
            assertThat(granted.exitCode()).as(granted.err()).isZero();
            broker.awaitRights(grant.getLast());
        }
        var config = new HashMap<String, Object>(broker.client(SecuredBroker.ADMIN));
        try (var producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            var key = "instance/p1".getBytes(UTF_8);
            producer.send(new ProducerRecord<>("mcp.state", key, "{}".getBytes(UTF_8)))
                    .get(60, TimeUnit.SECONDS);
        }
        var file = folder.resolve("fleet.backup").toString();

        var made = as("backup", "mcp.", "backup", file);
        assertThat(made.exitCode()).as(made.err()).isZero();
        assertThat(made.out()).contains("with 1 instances");
        assertThat(as("backup", "new.", "restore", file).exitCode()).isEqualTo(1);
        assertThat(as("restore", "mcp.", "backup", file + "2").exitCode()).isEqualTo(1);

        var restored = as("restore", "new.", "restore", file);
        assertThat(restored.exitCode()).as(restored.err()).isZero();
        assertThat(restored.out()).contains("Restored 1 instances");
    }
}
