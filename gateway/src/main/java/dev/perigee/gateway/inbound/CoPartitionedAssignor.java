package dev.perigee.gateway.inbound;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
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
 * <p>Where a member misses a worker that another one serves, {@link Detours} corrects the result.
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
    private Supplier<?> reach = () -> Reach.UNKNOWN;

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
        var balancing = delegate.subscriptionUserData(topics);
        return reach.get() instanceof Reach own ? own.after(balancing) : balancing;
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
        var group = each(groupSubscription.groupSubscription(), member -> strip(member, below));
        var assignable = leading(cluster, below);
        var balanced = delegate.assign(assignable, new GroupSubscription(group));
        var corrected =
                new Detours(each(group, CoPartitionedAssignor::member))
                        .correct(
                                each(balanced.groupAssignment(), all -> numbers(all.partitions())),
                                numbersOf(assignable.partitionsForTopic(leading)));
        return new GroupAssignment(each(corrected, this::mirror));
    }

    private static <A, B> Map<String, B> each(Map<String, A> members, Function<A, B> function) {
        return members.entrySet().stream()
                .collect(toMap(Map.Entry::getKey, member -> function.apply(member.getValue())));
    }

    private static Detours.Member member(Subscription stripped) {
        return new Detours.Member(
                Reach.of(stripped.userData()),
                numbers(stripped.ownedPartitions()),
                stripped.generationId().orElse(-1));
    }

    private static Set<Integer> numbers(List<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).collect(toSet());
    }

    private static Set<Integer> numbersOf(List<PartitionInfo> partitions) {
        return partitions.stream()
                .map(PartitionInfo::partition)
                .collect(toCollection(TreeSet::new));
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
                        full.userData(),
                        ofLeading(full.ownedPartitions()).stream()
                                .filter(partition -> partition.partition() < below)
                                .toList(),
                        full.generationId().orElse(-1),
                        full.rackId());
        subscription.setGroupInstanceId(full.groupInstanceId());
        return subscription;
    }

    private Assignment mirror(Set<Integer> numbers) {
        return new Assignment(
                Stream.of(leading, mirrored)
                        .flatMap(
                                topic ->
                                        numbers.stream()
                                                .map(number -> new TopicPartition(topic, number)))
                        .toList());
    }

    private List<TopicPartition> ofLeading(List<TopicPartition> partitions) {
        return partitions.stream().filter(partition -> partition.topic().equals(leading)).toList();
    }
}
