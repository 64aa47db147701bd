package dev.perigee.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OWN-08 of a topic it is said")
class TopicTroublesTest {
    private static final Node LEADER = new Node(1, "b", 9092);

    @Test
    void nothingWhereAllIsWell() {
        assertThat(TopicTroubles.of(Topic.STATUS, topic(LEADER, 3, 2, Set.of()), 2)).isNull();
        assertThat(TopicTroubles.of(Topic.STATUS, topic(LEADER, 1, 1, Set.of()), 2))
                .as("a broker takes what all of too few replicas have")
                .isNull();
        assertThat(TopicTroubles.of("t", new TimeoutException())).isNull();
    }

    @Test
    void whichRightIsMissing() {
        var reads = topic(LEADER, 1, 1, Set.of(AclOperation.READ));
        assertThat(TopicTroubles.of(Topic.TOOL_REQUESTS, reads, 1)).isNull();
        assertThat(TopicTroubles.of(Topic.STATUS, reads, 1)).contains("no right to write it");
        assertThat(TopicTroubles.of(Topic.STATE, reads, 1)).contains("read and write it");
        assertThat(TopicTroubles.of("t", new TopicAuthorizationException("t")))
                .contains("no right to see it");
    }

    @Test
    void thatItIsNotThere() {
        assertThat(TopicTroubles.of("t", new UnknownTopicOrPartitionException()))
                .contains("does not exist");
    }

    @Test
    void thatBrokersCannotTakeAnything() {
        assertThat(TopicTroubles.of(Topic.STATUS, topic(LEADER, 3, 1, Set.of()), 2))
                .contains("1 of 3 replicas in sync");
        assertThat(TopicTroubles.of(Topic.STATUS, topic(Node.noNode(), 3, 1, Set.of()), 1))
                .contains("no leader");
    }

    private static TopicDescription topic(
            Node leader, int replicas, int inSync, Set<AclOperation> rights) {
        var nodes =
                IntStream.range(1, replicas + 1).mapToObj(id -> new Node(id, "b", 9092)).toList();
        var partition = new TopicPartitionInfo(0, leader, nodes, nodes.subList(0, inSync));
        return new TopicDescription("t", false, List.of(partition), rights);
    }
}
