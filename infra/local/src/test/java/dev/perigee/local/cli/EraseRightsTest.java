package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("OPS-14: the rights of perigee erase")
final class EraseRightsTest {
    private static final byte[] STATUS =
            """
            {"event":"mcp.server.status_changed","process_id":"p1","installation_id":"i",
             "server_slug":"s","team_id":"t1","user_id":"u1","worker_id":"w","seq":1,
             "timestamp":"2026-11-20T10:00:00Z","status":"online"}
            """
                    .getBytes(StandardCharsets.UTF_8);

    private SecuredBroker broker;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        broker = new SecuredBroker(Files.createDirectory(directory.resolve("broker")));
    }

    @AfterAll
    void stop() {
        broker.close();
    }

    private CliRun as(String user, String... arguments) throws Exception {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(
                List.of(
                        "--bootstrap",
                        broker.bootstrap(),
                        "--kafka-config",
                        broker.file(user).toString()));
        return CliRun.of(all.toArray(String[]::new));
    }

    private void write(String user, String topic, byte[] value) throws Exception {
        var config = new HashMap<String, Object>(broker.client(user));
        try (var producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            var key = "p1".getBytes(StandardCharsets.UTF_8);
            producer.send(new ProducerRecord<>(topic, key, value)).get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    @DisplayName("are enough, are needed, and let nobody write the state")
    void areTheLeast() throws Exception {
        broker.add("operator", "eraser");
        assertThat(as(SecuredBroker.ADMIN, "topics", "--partitions", "1").exitCode()).isZero();
        for (var role : List.of("operator", "eraser")) {
            assertThat(as(SecuredBroker.ADMIN, "acls", role, "--create").exitCode()).isZero();
            broker.awaitRights(role);
        }
        write(SecuredBroker.ADMIN, "mcp.status", STATUS);

        var operator = as("operator", "erase", "u1", "--yes", "--deadline", "1s");
        assertThat(operator.exitCode()).isEqualTo(1);
        assertThat(operator.err()).contains("Kafka does not let us");
        assertThat(operator.out()).isEmpty();

        var looked = as("eraser", "erase", "u1");
        assertThat(looked.exitCode()).as(looked.err()).isZero();
        assertThat(looked.err()).contains("Of the teams t1");
        // There is no gateway, so that it goes as far as the command.
        var asked = as("eraser", "erase", "u1", "--yes", "--deadline", "1s");
        assertThat(asked.err()).contains("No result of command", "Run it again");
        assertThat(asked.exitCode()).isEqualTo(1);
        for (var topic : List.of("mcp.status", "mcp.tools", "mcp.catalog")) {
            write("eraser", topic, STATUS);
        }
        for (var topic : List.of("mcp.state", "mcp.tool-results", "mcp.dead-letters")) {
            assertThatThrownBy(() -> write("eraser", topic, STATUS))
                    .hasCauseInstanceOf(AuthorizationException.class);
        }
    }
}
