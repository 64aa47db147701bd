package dev.perigee.local.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class TimeMergeTest {
    private static final TopicPartition ZERO = partition(0);
    private static final TopicPartition ONE = partition(1);

    private final TimeMerge merge = new TimeMerge(List.of(ZERO, ONE));

    @Test
    void waitsUntilEveryPartitionHasShownItsNext() {
        add(0, 0, 100);

        assertThat(merge.next()).isNull();
        assertThat(merge.starving()).containsExactly(ONE);

        merge.end(ONE);
        assertThat(merge.next()).isNotNull();
        merge.end(ZERO);
        assertThat(merge.isAtEnd()).isTrue();
    }

    @Test
    void ordersByTimeAndKeepsEachPartitionsOrder() {
        add(0, 0, 100);
        add(0, 1, 90); // Its author's clock went back.
        add(0, 2, 300);
        add(1, 0, 95);
        add(1, 1, 100);
        add(1, 2, 200);

        assertThat(drained()).containsExactly("1@0", "0@0", "0@1", "1@1", "1@2");
        assertThat(merge.starving()).containsExactly(ONE);
    }

    private List<String> drained() {
        var order = new ArrayList<String>();
        for (var record = merge.next(); record != null; record = merge.next()) {
            order.add(record.partition() + "@" + record.offset());
        }
        return order;
    }

    private void add(int partition, long offset, long timestamp) {
        merge.add(SourceRecords.at(Topic.COMMANDS, partition, "t/u", "{}", offset, timestamp));
    }

    private static TopicPartition partition(int number) {
        return new TopicPartition(SourceRecords.NAMES.of(Topic.COMMANDS), number);
    }
}
