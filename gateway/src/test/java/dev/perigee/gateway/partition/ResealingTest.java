package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.partition.StateRecord.Broadcast;
import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.gateway.secret.Seals;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A secret of the state that an older key encrypted")
final class ResealingTest {
    private static final RecordOrigin ORIGIN = new RecordOrigin("mcp.commands", 0, 0);

    @AutoClose
    private final OwnedPartition partition = new OwnedPartition(Seals.with("new", "old"));

    private final StateTopic before =
            new StateTopic(OwnedPartition.NAMES.of(Topic.STATE), 0, Seals.with("old"));

    @BeforeEach
    void sealed() {
        var config = OwnerBench.config("alice", "i-1", "node");
        var payload = CommandPayload.about(null, "i-1", "t1", null, null);
        var command = new Command("c-1", "kill", null, null, null, null, payload);
        partition.before(
                before.instance(new Installed(config, false, ORIGIN, "c", null, partition.now())));
        partition.before(before.runtime(config.processId(), RawJson.of("{\"n\":1}")));
        partition.before(
                before.broadcast(new Broadcast(ORIGIN, command, null, 2, new TreeMap<>())));
    }

    @Test
    @DisplayName("is written anew with the current one, as it was")
    void anew() throws Exception {
        partition.serve();
        TestWaits.until("all", () -> partition.written(Topic.STATE).size() == 8);
        TestWaits.until("none is left", () -> partition.partitions.outdatedSecrets() == 0);

        var current = Seals.with("new");
        for (int secret = 0; secret < 3; secret++) {
            var old = partition.written(Topic.STATE).get(secret);
            var name = OwnedPartition.text(old.key());
            var again = last(name);
            assertThat(current.isCurrent(again.value())).isTrue();
            assertThat(OwnedPartition.text(current.open(name, again.value())))
                    .as("the token is kept, nothing else changes")
                    .contains(name.startsWith("instance/") ? "\"start_token\":0" : "");
        }
    }

    @Test
    @DisplayName("that is too large now is left as it is")
    void tooLarge() {
        partition.transactions.mostBytes(100);
        partition.serve();
        TestWaits.until("none is tried", () -> partition.partitions.outdatedSecrets() == 0);
        assertThat(partition.stateNames()).hasSize(3 + 2);
    }

    private ProducerRecord<byte[], byte[]> last(String name) {
        return partition.written(Topic.STATE).stream()
                .filter(record -> OwnedPartition.text(record.key()).equals(name))
                .toList()
                .getLast();
    }
}
