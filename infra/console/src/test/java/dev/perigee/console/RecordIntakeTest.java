package dev.perigee.console;

import static dev.perigee.console.ConsoleEvents.NOON;
import static dev.perigee.console.ConsoleEvents.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.partition.Whereabouts;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RecordIntakeTest {
    private final Board board = new Board(1 << 20, NOON);
    private final RecordIntake intake = new RecordIntake(new TopicNames("x."), board);

    private void take(String topic, String key, @Nullable String value) {
        intake.take(
                new ConsumerRecord<>(
                        topic,
                        3,
                        42,
                        key.getBytes(UTF_8),
                        value == null ? null : value.getBytes(UTF_8)));
    }

    private Update now() throws InterruptedException {
        return board.await(Cursor.NONE, null, 0, Duration.ZERO);
    }

    private static String online(String processId) {
        return new String(Json.write(status(processId, 1, ServerStatus.ONLINE)), UTF_8);
    }

    @Test
    void takesStatusesAndTheirRemoval() throws Exception {
        take("x.status", "a", online("a"));
        assertThat(now().instances()).hasSize(1);

        take("x.status", "a", null);

        assertThat(now().instances()).isEmpty();
    }

    @Test
    void seesWhoHasAPartitionAndNothingOfWhatIsSecret() {
        take("x.state", "claim", "{\"gateway_id\":\"g1\",\"claimed_at\":\"2026-11-21T12:00:00Z\"}");
        take("x.state", "host", "{\"worker_id\":\"w1\",\"incarnation\":\"i\"}");
        take("x.state", "instance/a", "not even JSON: it is not read");

        var known = board.known();
        assertThat(known.claims()).containsEntry(3, new Board.Claim("g1", NOON, 42));
        assertThat(known.hosts()).containsEntry(3, new Whereabouts.Hosted("w1"));
        assertThat(known.reading().unreadable()).isZero();

        take("x.state", "host", null);
        assertThat(board.known().hosts()).containsEntry(3, new Whereabouts.Hosted(null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x.status     | a | {",
                "x.status     | a | {\"event\":\"mcp.server.status_changed\"}",
                "x.lifecycle  | a | {\"event\":\"what.is.this\"}",
                "x.logs       | a | {\"event\":\"mcp.server.logs\",\"process_id\":\"a\"}",
                "x.heartbeats | w | {\"event\":\"perigee.worker.heartbeat\"}",
                "x.state      | host | []",
            })
    void countsWhatItCannotRead(String topic, String key, String value) {
        take(topic, key, value);

        assertThat(board.known().reading().unreadable()).isEqualTo(1);
    }

    @Test
    void believesNoEventUnderAnotherKey() throws Exception {
        take("x.status", "b", online("a"));

        assertThat(now().instances()).isEmpty();
        assertThat(board.known().reading().unreadable()).isEqualTo(1);
    }

    @Test
    void believesNoHeartbeatOfAnotherWorker() {
        var heartbeat =
                """
                {"event":"perigee.worker.heartbeat","worker_id":"w1","incarnation":"i",
                 "status":"running","version":"0","uptime_seconds":1,"cpu_load":0,
                 "memory_used_bytes":1,"memory_max_bytes":2,"processes_by_team":{},
                 "counts_by_state":{},"dormant_count":0,"partitions":[],
                 "timestamp":"2026-11-20T10:00:00Z"}
                """;

        take("x.heartbeats", "w2", heartbeat);
        assertThat(board.known().workers()).isEmpty();

        take("x.heartbeats", "w1", heartbeat);
        assertThat(board.known().workers()).containsOnlyKeys("w1");
    }
}
