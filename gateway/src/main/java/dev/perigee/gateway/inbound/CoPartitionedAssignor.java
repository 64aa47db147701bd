package dev.perigee.gateway.inbound;

import static java.util.stream.Collectors.toMap;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Assigns the partitions of one topic by Kafka's cooperative-sticky assignor and mirrors the result
 * to a second topic with as many partitions, so that both partitions of a number always move
 * together. Cooperative-sticky alone balances the two topics independently; range keeps them
 * together but revokes everything at each rebalance.
 *
 * <p>Kafka instantiates it by name and configures it with the consumer's own settings, among them
 * {@link #LEADING_TOPIC} and {@link #MIRRORED_TOPIC}.
 *
 * <p>Source: design/architecture.md, "Gateway".
 */
public final class CoPartitionedAssignor implements ConsumerPartitionAssignor, Configurable {
    /** Consumer setting: the topic whose partitions are balanced. */
    public static final String LEADING_TOPIC = "perigee.assignor.leading-topic";

    /** Consumer setting: the topic that follows. */
    public static final String MIRRORED_TOPIC = "perigee.assignor.mirrored-topic";

    private final CooperativeStickyAssignor delegate = new CooperativeStickyAssignor();
    private String leading = "";
    private String mirrored = "";

    @Override
    public void configure(Map<String, ?> configs) {
        leading = String.valueOf(configs.get(LEADING_TOPIC));
        mirrored = String.valueOf(configs.get(MIRRORED_TOPIC));
    }

    @Override
    public String name() {
        return "perigee-co-partitioned";
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return List.of(RebalanceProtocol.COOPERATIVE, RebalanceProtocol.EAGER);
    }

    @Override
    public @Nullable ByteBuffer subscriptionUserData(Set<String> topics) {
        return delegate.subscriptionUserData(topics);
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        delegate.onAssignment(
                new Assignment(ofLeading(assignment.partitions()), assignment.userData()),
                metadata);
    }

    @Override
    public GroupAssignment assign(Cluster cluster, GroupSubscription groupSubscription) {
        var stripped =
                groupSubscription.groupSubscription().entrySet().stream()
                        .collect(toMap(Map.Entry::getKey, member -> strip(member.getValue())));
        var assigned = delegate.assign(cluster, new GroupSubscription(stripped));
        return new GroupAssignment(
                assigned.groupAssignment().entrySet().stream()
                        .collect(toMap(Map.Entry::getKey, member -> mirror(member.getValue()))));
    }

    private Subscription strip(Subscription full) {
        var subscription =
                new Subscription(
                        full.topics().stream().filter(leading::equals).toList(),
                        full.userData(),
                        ofLeading(full.ownedPartitions()),
                        full.generationId().orElse(-1),
                        full.rackId());
        subscription.setGroupInstanceId(full.groupInstanceId());
        return subscription;
    }

    private Assignment mirror(Assignment assignment) {
        var both = new ArrayList<TopicPartition>(assignment.partitions());
        assignment
                .partitions()
                .forEach(leader -> both.add(new TopicPartition(mirrored, leader.partition())));
        return new Assignment(both, assignment.userData());
    }

    private List<TopicPartition> ofLeading(List<TopicPartition> partitions) {
        return partitions.stream().filter(partition -> partition.topic().equals(leading)).toList();
    }
}
