package dev.perigee.testing.soak;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;

/**
 * Whether what a fault led to is over, as the broker sees it: every gateway is a member and has
 * partitions, the group does not rebalance, and all requests of a moment are answered and
 * committed. A gateway that says that it is well has not heard yet of a rebalance that is about to
 * come. For one thread.
 */
final class Calm implements AutoCloseable {
    private final Admin admin;
    private final TopicNames names;
    private final int partitions;

    Calm(String bootstrap, TopicNames names, int partitions) {
        this.admin = Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap));
        this.names = names;
        this.partitions = partitions;
    }

    /** How far requests have come; the broker answers. */
    Map<TopicPartition, Long> ends() throws InterruptedException, ExecutionException {
        var latest =
                IntStream.range(0, partitions)
                        .mapToObj(i -> new TopicPartition(names.of(Topic.TOOL_REQUESTS), i))
                        .collect(Collectors.toMap(it -> it, _ -> OffsetSpec.latest()));
        return admin.listOffsets(latest).all().get().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    }

    /** Whether so many gateways share the partitions and have answered up to these offsets. */
    boolean isBack(int gateways, Map<TopicPartition, Long> ends) throws InterruptedException {
        try {
            return isShared(gateways) && isAnswered(ends);
        } catch (ExecutionException e) {
            return false;
        }
    }

    private boolean isShared(int gateways) throws InterruptedException, ExecutionException {
        var group =
                Objects.requireNonNull(
                        admin.describeConsumerGroups(List.of(group())).all().get().get(group()));
        return group.groupState() == GroupState.STABLE
                && group.members().size() == gateways
                && group.members().stream()
                        .noneMatch(member -> member.assignment().topicPartitions().isEmpty());
    }

    private boolean isAnswered(Map<TopicPartition, Long> ends)
            throws InterruptedException, ExecutionException {
        var committed =
                admin.listConsumerGroupOffsets(group()).partitionsToOffsetAndMetadata().get();
        return ends.entrySet().stream()
                .allMatch(
                        end -> {
                            var offset = committed.get(end.getKey());
                            return offset != null && offset.offset() >= end.getValue();
                        });
    }

    private String group() {
        return names.prefix() + "gateway";
    }

    @Override
    public void close() {
        admin.close();
    }
}
