package dev.perigee.local.backup;

import static dev.perigee.local.backup.Examples.record;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-15: topics to restore into")
final class TargetTopicsTest {
    private static final BackupHeader BACKUP =
            new BackupHeader(
                    1,
                    "1",
                    "c",
                    "mcp.",
                    Instant.EPOCH,
                    new TreeMap<>(Map.of(Topic.STATE, 8, Topic.STATUS, 8)));

    private static TargetTopics topics(
            Map<Topic, Integer> partitions, Set<Topic> used, int members) {
        return new TargetTopics(
                new TopicNames("new."), new TreeMap<>(partitions), used, "new.gateway", members, 0);
    }

    private static Map<Topic, Integer> all(int ofState) {
        return Map.of(
                Topic.STATE, ofState, Topic.STATUS, 3, Topic.COMMANDS, 8, Topic.TOOL_REQUESTS, 8);
    }

    @Test
    @DisplayName("are fine when they are empty, whatever count those have that keys route alone")
    void fine() {
        assertThat(topics(all(8), Set.of(), 0).refusals(BACKUP, false)).isEmpty();
        assertThat(topics(all(8), Set.of(Topic.STATE), 0).refusals(BACKUP, true)).isEmpty();
    }

    @Test
    @DisplayName("are refused with what to do when one is missing, has records, or a gateway runs")
    void refused() {
        var missing =
                topics(Map.of(Topic.STATE, 8, Topic.STATUS, 8, Topic.COMMANDS, 8), Set.of(), 0);
        assertThat(missing.refusals(BACKUP, true))
                .singleElement()
                .asString()
                .contains("no topic new.tool-requests:", "perigee topics --partitions 8");
        assertThat(topics(all(8), Set.of(Topic.STATUS), 0).refusals(BACKUP, false))
                .singleElement()
                .asString()
                .contains("records on new.status already", "--overwrite");
        assertThat(topics(all(8), Set.of(), 2).refusals(BACKUP, true))
                .singleElement()
                .asString()
                .contains("2 gateways of the group new.gateway run");
    }

    @Test
    @DisplayName("are refused, told to overwrite or not, when their count is not the fleet's")
    void count() {
        for (boolean overwrite : new boolean[] {false, true}) {
            assertThat(topics(all(4), Set.of(), 0).refusals(BACKUP, overwrite))
                    .singleElement()
                    .asString()
                    .contains("8 partitions, but new.state has 4:", "--partitions 8");
        }
    }

    @Test
    @DisplayName("get state where it was, and the rest where gateways write it")
    void partitions() {
        var counts = new TreeMap<>(Map.of(Topic.STATE, 8, Topic.STATUS, 3));
        assertThat(RestoreWriter.partition(record(Topic.STATE, 5, "k", ""), counts)).isEqualTo(5);
        for (int i = 0; i < 50; i++) {
            var status = record(Topic.STATUS, 7, "process-" + i, "");
            assertThat(RestoreWriter.partition(status, counts))
                    .isEqualTo(BuiltInPartitioner.partitionForKey(status.key(), 3));
        }
    }
}
