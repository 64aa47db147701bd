package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.gateway.partition.GroupOffsets.Committed;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Where the group stands in a partition")
final class GroupOffsetsTest {
    private static final String REQUESTS = "mcp.tool-requests";

    private final BrokerOffsets broker = new BrokerOffsets();
    private final GroupOffsets offsets =
            new GroupOffsets(broker.admin(), "group", new TopicNames("mcp."));

    @BeforeEach
    void records() {
        broker.begins(REQUESTS, 1, 3);
        broker.ends(REQUESTS, 1, 10);
    }

    @Test
    @DisplayName("is what it committed last, with what was noted then")
    void committed() throws Exception {
        broker.committed(REQUESTS, 1, new OffsetAndMetadata(10, "noted"));
        assertThat(offsets.committed(Topic.TOOL_REQUESTS, 1)).isEqualTo(new Committed(10, "noted"));
        assertThat(offsets.end(Topic.TOOL_REQUESTS, 1)).isEqualTo(10);
    }

    @Test
    @DisplayName("is the beginning where it never committed")
    void never() throws Exception {
        assertThat(offsets.committed(Topic.TOOL_REQUESTS, 1)).isEqualTo(new Committed(3, ""));
    }

    @Test
    @DisplayName("is the beginning of a topic that was made again, and ends before")
    void madeAgain() throws Exception {
        broker.committed(REQUESTS, 1, new OffsetAndMetadata(11, "noted"));
        assertThat(offsets.committed(Topic.TOOL_REQUESTS, 1)).isEqualTo(new Committed(3, ""));
    }

    @Test
    @DisplayName("is not the beginning while a transaction about it is open, but not known")
    void open() {
        broker.committed(REQUESTS, 1, new OffsetAndMetadata(10, "noted"));
        broker.open(REQUESTS, 1);
        assertThatThrownBy(() -> offsets.committed(Topic.TOOL_REQUESTS, 1))
                .isInstanceOf(KafkaException.class)
                .hasMessageContaining("mcp.tool-requests-1 is not told");
    }

    @Test
    @DisplayName("is not known where the broker does not say")
    void failed() {
        broker.fail(new UnknownTopicOrPartitionException("none"));
        assertThatThrownBy(() -> offsets.end(Topic.TOOL_REQUESTS, 1))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
        broker.fail(new IllegalStateException("a defect"));
        assertThatThrownBy(() -> offsets.end(Topic.TOOL_REQUESTS, 1))
                .isInstanceOf(KafkaException.class)
                .hasRootCauseMessage("a defect");
    }
}
