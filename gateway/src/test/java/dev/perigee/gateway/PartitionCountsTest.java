package dev.perigee.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class PartitionCountsTest {
    private static PartitionCounts counts(int commands, int state, int requests) {
        return new PartitionCounts(
                new TreeMap<>(Map.of("commands", commands, "state", state, "requests", requests)));
    }

    @Test
    void takesTheOneCountOfANewFleet() {
        assertThat(TopicCheck.partitions(counts(4, 4, 4), null)).isEqualTo(4);
        assertThat(counts(8, 4, 8).uniform()).isNull();
        assertThatThrownBy(() -> TopicCheck.partitions(counts(8, 4, 8), null))
                .isInstanceOf(GatewayStartException.class)
                .hasMessageContaining("commands has 8, requests has 8, state has 4");
    }

    @Test
    void takesTheRecordedCount() {
        assertThat(TopicCheck.partitions(counts(4, 4, 4), 4)).isEqualTo(4);
        assertThat(counts(4, 4, 4).difference(4)).isNull();
    }

    @Test
    void refusesACountThatWasChanged() {
        assertThatThrownBy(() -> TopicCheck.partitions(counts(8, 8, 8), 4))
                .isInstanceOf(GatewayStartException.class)
                .hasMessageContaining("commands has 8, requests has 8, state has 8, expected are 4")
                .hasMessageContaining("delete the topics commands, requests, state")
                .hasMessageContaining("perigee topics --partitions N");
        assertThat(counts(4, 4, 6).difference(4))
                .contains("requests has 6, expected are 4")
                .doesNotContain("commands has");
    }

    @Test
    void servesWhatEveryTopicHas() {
        assertThat(counts(8, 4, 6).least()).isEqualTo(4);
    }
}
