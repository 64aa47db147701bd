package dev.perigee.gateway.inbound;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Assigns the partitions of one topic by Kafka's cooperative-sticky assignor and mirrors the result
 * to a second topic with as many partitions, so that both partitions of a number always move
 * together. Cooperative-sticky alone balances the two topics independently; range keeps them
 * together but revokes everything at each rebalance.
 *
 * <p>While a member misses a worker that another one hears, {@link Detours} assigns instead.
 *
 * <p>Partitions that were added to the leading topic alone are given to no member: what belongs to
 * them in the other topics is not there.
 *
 * <p>Kafka instantiates it by name and configures it with the consumer's own settings, among them
 * {@link #LEADING_TOPIC} and {@link #MIRRORED_TOPIC}.
 */
public final class CoPartitionedAssignor implements ConsumerPartitionAssignor, Configurable {
    /** Consumer setting: the topic whose partitions are balanced. */
    public static final String LEADING_TOPIC = "perigee.assignor.leading-topic";

    /** Consumer setting: the topic that follows. */
    public static final String MIRRORED_TOPIC = "perigee.assignor.mirrored-topic";

    /** Consumer setting, an {@link IntSupplier}: partitions of a lower number may be assigned. */
    public static final String SERVABLE = "perigee.assignor.servable";

    /** Consumer setting, a supplier of this member's {@link Reach}. */
    public static final String REACH = "perigee.assignor.reach";

    private final CooperativeStickyAssignor delegate = new CooperativeStickyAssignor();
    private String leading = "";
    private String mirrored = "";
    private IntSupplier servable = () -> Integer.MAX_VALUE;
    private @Nullable Supplier<?> reach;

    @Override
    public void configure(Map<String, ?> configs) {
        leading = String.valueOf(configs.get(LEADING_TOPIC));
        mirrored = String.valueOf(configs.get(MIRRORED_TOPIC));
        if (configs.get(SERVABLE) instanceof IntSupplier given) {
            servable = given;
        }
        if (configs.get(REACH) instanceof Supplier<?> given) {
            reach = given;
        }
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
        var front = delegate.subscriptionUserData(topics);
        return reach != null && reach.get() instanceof Reach told ? told.after(front) : front;
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        delegate.onAssignment(
                new Assignment(ofLeading(assignment.partitions()), assignment.userData()),
                metadata);
    }

    @Override
    public GroupAssignment assign(Cluster cluster, GroupSubscription groupSubscription) {
        int below = servable.getAsInt();
        var detours = new Detours(members(groupSubscription, below));
        if (detours.isNeeded()) {
            return new GroupAssignment(
                    detours.assign(numbers(leading(cluster, below).partitionsForTopic(leading)))
                            .entrySet()
                            .stream()
                            .collect(
                                    toMap(
                                            Map.Entry::getKey,
                                            member -> mirror(assignment(member.getValue())))));
        }
        var stripped =
                groupSubscription.groupSubscription().entrySet().stream()
                        .collect(
                                toMap(
                                        Map.Entry::getKey,
                                        member -> strip(member.getValue(), below)));
        var assigned = delegate.assign(leading(cluster, below), new GroupSubscription(stripped));
        return new GroupAssignment(
                assigned.groupAssignment().entrySet().stream()
                        .collect(toMap(Map.Entry::getKey, member -> mirror(member.getValue()))));
    }

    private Map<String, Detours.Member> members(GroupSubscription group, int below) {
        return group.groupSubscription().entrySet().stream()
                .collect(toMap(Map.Entry::getKey, member -> member(member.getValue(), below)));
    }

    private Detours.Member member(Subscription full, int below) {
        var owned =
                ofLeading(full.ownedPartitions()).stream()
                        .map(TopicPartition::partition)
                        .filter(partition -> partition < below)
                        .collect(toSet());
        return new Detours.Member(
                Reach.of(full.userData()), owned, full.generationId().orElse(-1));
    }

    private static List<Integer> numbers(List<PartitionInfo> partitions) {
        return partitions.stream().map(PartitionInfo::partition).toList();
    }

    private Assignment assignment(Set<Integer> partitions) {
        return new Assignment(
                partitions.stream()
                        .map(partition -> new TopicPartition(leading, partition))
                        .toList());
    }

    /** The leading topic's partitions that may be assigned. */
    private Cluster leading(Cluster cluster, int below) {
        return new Cluster(
                cluster.clusterResource().clusterId(),
                cluster.nodes(),
                cluster.partitionsForTopic(leading).stream()
                        .filter(partition -> partition.partition() < below)
                        .toList(),
                Set.of(),
                Set.of());
    }

    private Subscription strip(Subscription full, int below) {
        var subscription =
                new Subscription(
                        full.topics().stream().filter(leading::equals).toList(),
                        Reach.front(full.userData()),
                        ofLeading(full.ownedPartitions()).stream()
                                .filter(partition -> partition.partition() < below)
                                .toList(),
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
