package dev.perigee.gateway.outbound;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.GroupView;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A write with a record for a topic that alone cannot be written")
final class KeptWritesTest {
    private static final TopicNames NAMES = new TopicNames("mcp.");

    private final TopicHealth health = new TopicHealth(NAMES);
    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final KeptWrites kept = new KeptWrites(health, new DroppedRecords(metrics));
    private final List<String> heard = new ArrayList<>();

    @BeforeEach
    void block() {
        health.found(Map.of(Topic.STATUS, "the test says so"));
    }

    @Test
    @DisplayName("that somebody waits for is over when the rest of it is written")
    void urgent() {
        var rest = split(write(1, 7, false, Topic.STATE, Topic.STATUS));
        assertThat(topics(rest)).containsExactly("mcp.state");
        assertThat(rest.commandsOffset()).isEqualTo(7);

        rest.ending().committed(List.of(42L));

        assertThat(heard).containsExactly("committed [42, -1]");
        assertThat(kept.isEmpty()).isFalse();
    }

    @Test
    @DisplayName("that nobody waits for is over when all of it is written")
    void patient() {
        var rest = split(write(1, 7, true, Topic.STATUS, Topic.STATE));
        rest.ending().committed(List.of(42L));
        assertThat(heard).containsExactly("kept");

        health.found(Map.of());
        var later = kept.takeWritable();
        assertThat(later)
                .singleElement()
                .satisfies(write -> assertThat(topics(write)).containsExactly("mcp.status"));
        later.getFirst().ending().committed(List.of(5L));

        assertThat(heard).containsExactly("kept", "committed [-1, 42]");
        assertThat(kept.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("is not concerned where it has none")
    void others() {
        var write = write(1, 7, true, Topic.STATE);
        assertThat(split(write)).isSameAs(write);
        assertThat(kept.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("is kept behind what is kept, though the topic takes records again")
    void inOrder() {
        var _ = split(write(1, 7, true, Topic.STATUS));
        health.found(Map.of());
        var _ = split(write(1, 8, true, Topic.STATUS));
        assertThat(kept.takeWritable())
                .extracting(StateWrite::commandsOffset)
                .containsExactly(7L, 8L);
    }

    @Test
    @DisplayName("takes no commit back that was made meanwhile")
    void newerOffsets() {
        var _ = split(write(1, 7, true, Topic.STATUS));
        kept.committed(write(1, 9, false, Topic.STATE));
        health.found(Map.of());
        assertThat(kept.takeWritable()).extracting(StateWrite::commandsOffset).containsExactly(9L);
        kept.committed(write(1, 10, false, Topic.STATE));
        assertThat(kept.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("is refused when its tenure ends, and others are kept on")
    void tenureEnds() {
        var _ = split(write(1, 7, true, Topic.STATUS));
        var _ = split(write(2, 8, true, Topic.STATUS));

        kept.dropEnded(new GroupView(null, Map.of(2, 1L)));

        assertThat(heard).containsExactly("refused TENURE_ENDED");
        health.found(Map.of());
        assertThat(kept.takeWritable()).extracting(StateWrite::commandsOffset).containsExactly(8L);
    }

    @Test
    @DisplayName("is refused once when the gateway ends, whatever becomes of its parts")
    void closed() {
        var rest = split(write(1, 7, true, Topic.STATUS, Topic.STATUS, Topic.STATE));
        kept.close();
        rest.ending().refused(StateWrite.Refusal.CLOSED);
        assertThat(heard).containsExactly("refused CLOSED");
        assertThat(kept.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("loses the oldest of what is kept when that is too much, and is over")
    void surplus() {
        for (int write = 0; write <= KeptRecords.MOST_RECORDS; write++) {
            split(write(1, write, true, Topic.STATUS)).ending().committed(List.of());
        }
        assertThat(heard).contains("committed [-1]").hasSize(KeptRecords.MOST_RECORDS + 2);
        assertThat(
                        metrics.get("perigee.gateway.publish.dropped")
                                .tag("topic", "mcp.status")
                                .counter()
                                .count())
                .isEqualTo(1);
    }

    private StateWrite split(StateWrite write) {
        var batch = new ArrayList<>(List.of(write));
        kept.split(batch);
        return batch.getFirst();
    }

    private static List<String> topics(StateWrite write) {
        return write.records().stream().map(ProducerRecord::topic).toList();
    }

    private StateWrite write(int partition, long offset, boolean patient, Topic... topics) {
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var topic : topics) {
            records.add(
                    new ProducerRecord<>(
                            NAMES.of(topic), "key".getBytes(UTF_8), "value".getBytes(UTF_8)));
        }
        return new StateWrite(
                new Tenure(partition, 1),
                records,
                offset,
                patient,
                new StateWrite.Ending() {
                    @Override
                    public void committed(List<Long> offsets) {
                        heard.add("committed " + offsets);
                    }

                    @Override
                    public void kept() {
                        heard.add("kept");
                    }

                    @Override
                    public void refused(StateWrite.Refusal refusal) {
                        heard.add("refused " + refusal);
                    }
                });
    }
}
