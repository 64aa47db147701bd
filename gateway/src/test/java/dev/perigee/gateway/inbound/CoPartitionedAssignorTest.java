package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CoPartitionedAssignorTest {
    private static final String COMMANDS = "mcp.commands";
    private static final String REQUESTS = "mcp.tool-requests";
    private static final int PARTITIONS = 12;

    private final Map<String, CoPartitionedAssignor> members = new TreeMap<>();
    private final Map<String, List<TopicPartition>> owned = new HashMap<>();
    private final Map<String, List<TopicPartition>> lately = new HashMap<>();
    private final Map<Integer, String> hosts = new TreeMap<>();
    private final Map<String, Set<String>> misses = new HashMap<>();
    private final Set<String> silent = new TreeSet<>();
    private final Set<String> older = new TreeSet<>();
    private int generation;
    private int servable = PARTITIONS;

    @Test
    void isCooperative() {
        assertThat(assignor("a").supportedProtocols()).contains(RebalanceProtocol.COOPERATIVE);
    }

    @Test
    void givesOneMemberEverything() {
        join("a");
        rebalance();

        assertThat(numbers("a", COMMANDS)).hasSize(PARTITIONS);
        assertBothTopicsMoveTogether();
    }

    @Test
    void movesOnlyWhatHasToMove() {
        join("a");
        settle();
        var before = numbers("a", COMMANDS);
        join("b");
        settle();

        assertThat(numbers("a", COMMANDS)).hasSize(PARTITIONS / 2);
        assertThat(before).containsAll(numbers("a", COMMANDS));
        assertThat(numbers("b", COMMANDS)).hasSize(PARTITIONS / 2);
        assertBothTopicsMoveTogether();
    }

    @Test
    void withholdsWhatAnotherStillOwns() {
        join("a");
        settle();
        join("b");
        rebalance();

        assertThat(numbers("b", COMMANDS)).isEmpty();
        assertThat(numbers("b", REQUESTS)).isEmpty();
        assertThat(numbers("a", COMMANDS)).hasSize(PARTITIONS / 2);
        assertBothTopicsMoveTogether();
    }

    @Test
    void givesALostMembersPartitionsToTheOthersAndMovesNoOther() {
        join("a");
        join("b");
        join("c");
        settle();
        var ofA = numbers("a", COMMANDS);
        var ofB = numbers("b", COMMANDS);
        leave("c");
        settle();

        assertThat(numbers("a", COMMANDS)).containsAll(ofA);
        assertThat(numbers("b", COMMANDS)).containsAll(ofB);
        assertEveryPartitionOnce();
    }

    @Test
    void keepsEveryPartitionOnceThroughManyChanges() {
        for (int round = 0; round < 8; round++) {
            join("m" + round);
            settle();
            assertEveryPartitionOnce();
            if (round % 3 == 2) {
                leave("m" + (round - 1));
                settle();
                assertEveryPartitionOnce();
            }
        }
    }

    @Test
    void leavesOutPartitionsThatNotEveryTopicHas() {
        join("a");
        join("b");
        settle();
        servable = PARTITIONS - 4;
        join("c");
        settle();

        var all = new TreeSet<Integer>();
        members.keySet().forEach(member -> all.addAll(numbers(member, COMMANDS)));
        assertThat(all).hasSize(PARTITIONS - 4).allMatch(number -> number < PARTITIONS - 4);
        assertBothTopicsMoveTogether();
    }

    @Test
    @DisplayName("OWN-16: partitions whose worker one misses go to one that hears it, no other")
    void givesWhatMissesItsWorkerToWhoHearsItAndMovesNoOther() {
        join("a");
        join("b");
        settle();
        var ofA = numbers("a", COMMANDS);
        var ofB = numbers("b", COMMANDS);
        var onW1 = half(ofA);
        hosts.putAll(on("w1", onW1));
        hosts.putAll(on("w1", half(ofB)));

        misses.put("a", Set.of("w1"));
        rebalance();
        assertThat(numbers("b", COMMANDS)).as("revoked first").isEqualTo(ofB);
        assertThat(numbers("a", COMMANDS)).doesNotContainAnyElementsOf(onW1);
        settle();

        assertEveryPartitionOnce();
        assertThat(numbers("b", COMMANDS)).containsAll(onW1).containsAll(half(ofB));
        assertThat(moved(ofB, numbers("b", COMMANDS)))
                .as("what is not on w1 balances, and costs nobody his worker")
                .doesNotContainAnyElementsOf(half(ofB));

        misses.clear();
        settle();
        assertEveryPartitionOnce();
        assertThat(numbers("a", COMMANDS)).as("balanced again").hasSize(PARTITIONS / 2);
    }

    @Test
    @DisplayName("OWN-16: a worker that nobody hears, or all missed lately, moves nothing")
    void movesNothingForAWorkerThatNobodyServes() {
        join("a");
        join("b");
        settle();
        var before = Map.copyOf(owned);
        hosts.putAll(on("w1", numbers("a", COMMANDS)));
        hosts.putAll(on("w1", numbers("b", COMMANDS)));

        misses.put("a", Set.of("w1"));
        silent.add("w1");
        settle();
        assertThat(owned).isEqualTo(before);

        misses.put("b", Set.of("w1"));
        settle();
        assertThat(owned).isEqualTo(before);

        silent.clear();
        settle();
        assertThat(owned).as("it is back, for both").isEqualTo(before);
    }

    @Test
    @DisplayName("OWN-16: two that each hear half of the workers settle, whatever the balance")
    void settlesWhereEachHearsHalfOfTheWorkers() {
        join("a");
        join("b");
        settle();
        var all = new TreeSet<Integer>();
        members.keySet().forEach(member -> all.addAll(numbers(member, COMMANDS)));
        var onW1 = all.stream().filter(number -> number % 4 == 0).collect(Collectors.toSet());
        all.removeAll(onW1);
        hosts.putAll(on("w1", onW1));
        hosts.putAll(on("w2", all));

        misses.put("a", Set.of("w2"));
        misses.put("b", Set.of("w1"));
        settle();

        assertThat(numbers("a", COMMANDS)).isEqualTo(onW1);
        assertThat(numbers("b", COMMANDS)).isEqualTo(all);
        var settled = Map.copyOf(owned);
        for (int i = 0; i < 5; i++) {
            rebalance();
            assertThat(owned).as("no partition goes to and fro").isEqualTo(settled);
        }
        join("c");
        settle();
        assertEveryPartitionOnce();
        assertThat(numbers("c", COMMANDS)).as("bound to who serves them").isEmpty();
        leave("a");
        settle();
        assertEveryPartitionOnce();
        assertThat(numbers("c", COMMANDS)).as("hears w1, as b does not").containsAll(onW1);
    }

    @Test
    @DisplayName("OWN-16: members of an older version are given no partition for its worker")
    void readsWhatOlderVersionsTell() {
        join("a");
        join("b");
        settle();
        var before = Map.copyOf(owned);
        hosts.putAll(on("w1", numbers("a", COMMANDS)));
        misses.put("a", Set.of("w1"));
        older.add("b");
        settle();
        assertThat(owned).isEqualTo(before);
    }

    /** Every other one. */
    private static Set<Integer> half(Set<Integer> numbers) {
        var some = new TreeSet<Integer>();
        for (int number : numbers) {
            if (some.size() < numbers.size() / 2) {
                some.add(number);
            }
        }
        return some;
    }

    private static Map<Integer, String> on(String worker, Set<Integer> numbers) {
        return numbers.stream().collect(Collectors.toMap(number -> number, _ -> worker));
    }

    private static Set<Integer> moved(Set<Integer> before, Set<Integer> after) {
        var gone = new TreeSet<>(before);
        gone.removeAll(after);
        return gone;
    }

    @Test
    @DisplayName("OWN-16: a partition that may not be assigned is not bound either")
    void bindsNothingThatMayNotBeAssigned() {
        join("a");
        join("b");
        settle();
        hosts.putAll(on("w1", Set.of(PARTITIONS - 1)));
        misses.put(owner(PARTITIONS - 1), Set.of("w1"));
        servable = PARTITIONS - 4;
        settle();

        var all = new TreeSet<Integer>();
        members.keySet().forEach(member -> all.addAll(numbers(member, COMMANDS)));
        assertThat(all).hasSize(PARTITIONS - 4).allMatch(number -> number < PARTITIONS - 4);
    }

    private String owner(int number) {
        return members.keySet().stream()
                .filter(member -> numbers(member, COMMANDS).contains(number))
                .findFirst()
                .orElseThrow();
    }

    private void join(String member) {
        members.put(member, assignor(member));
        owned.put(member, List.of());
    }

    private void leave(String member) {
        members.remove(member);
        owned.remove(member);
    }

    /** Members rejoin until nothing moves any more, as cooperative ones do. */
    private void settle() {
        for (int i = 0; i < 5; i++) {
            var before = Map.copyOf(owned);
            rebalance();
            if (before.equals(owned)) {
                return;
            }
        }
    }

    private void rebalance() {
        generation++;
        var subscriptions = new HashMap<String, Subscription>();
        members.forEach(
                (name, assignor) ->
                        subscriptions.put(
                                name,
                                new Subscription(
                                        List.of(COMMANDS, REQUESTS),
                                        assignor.subscriptionUserData(Set.of(COMMANDS, REQUESTS)),
                                        owned.getOrDefault(name, List.of()),
                                        generation - 1,
                                        Optional.empty())));
        var leader = members.values().iterator().next();
        var assigned = leader.assign(cluster(), new GroupSubscription(subscriptions));
        assigned.groupAssignment()
                .forEach(
                        (name, assignment) -> {
                            lately.put(name, owned.getOrDefault(name, List.of()));
                            owned.put(name, sorted(assignment));
                            member(name).onAssignment(assignment, metadata(name));
                        });
    }

    private CoPartitionedAssignor member(String name) {
        return java.util.Objects.requireNonNull(members.get(name));
    }

    private ConsumerGroupMetadata metadata(String name) {
        return new GroupMetadata(generation, name);
    }

    /** The public constructors are going away; what is read is generation and member. */
    @SuppressWarnings("removal")
    private static final class GroupMetadata extends ConsumerGroupMetadata {
        GroupMetadata(int generation, String member) {
            super("group", generation, member, Optional.empty());
        }
    }

    private static List<TopicPartition> sorted(Assignment assignment) {
        return assignment.partitions().stream()
                .sorted(
                        java.util.Comparator.comparing(TopicPartition::topic)
                                .thenComparingInt(TopicPartition::partition))
                .toList();
    }

    private Set<Integer> numbers(String member, String topic) {
        return owned.getOrDefault(member, List.of()).stream()
                .filter(partition -> partition.topic().equals(topic))
                .map(TopicPartition::partition)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void assertBothTopicsMoveTogether() {
        for (var member : members.keySet()) {
            assertThat(numbers(member, REQUESTS)).isEqualTo(numbers(member, COMMANDS));
        }
    }

    private void assertEveryPartitionOnce() {
        assertBothTopicsMoveTogether();
        var all = new ArrayList<Integer>();
        members.keySet().forEach(member -> all.addAll(numbers(member, COMMANDS)));
        assertThat(all).hasSize(PARTITIONS);
        assertThat(new HashSet<>(all)).hasSize(PARTITIONS);
    }

    private CoPartitionedAssignor assignor(String member) {
        var assignor = new CoPartitionedAssignor();
        assignor.configure(
                Map.of(
                        CoPartitionedAssignor.LEADING_TOPIC,
                        COMMANDS,
                        CoPartitionedAssignor.MIRRORED_TOPIC,
                        REQUESTS,
                        CoPartitionedAssignor.SERVABLE,
                        (IntSupplier) () -> servable,
                        CoPartitionedAssignor.REACH,
                        (Supplier<Reach>) () -> reach(member)));
        return assignor;
    }

    /** It tells the hosts of what it owns, and of what was revoked from it a moment ago. */
    private Reach reach(String member) {
        if (older.contains(member)) {
            return Reach.UNKNOWN;
        }
        var missed = misses.getOrDefault(member, Set.of());
        var hears = new TreeSet<>(Set.of("w1", "w2"));
        hears.removeAll(silent);
        var told = new TreeMap<>(hosts);
        told.keySet()
                .retainAll(
                        Stream.of(lately, owned)
                                .flatMap(each -> each.getOrDefault(member, List.of()).stream())
                                .map(TopicPartition::partition)
                                .toList());
        return new Reach(hears, missed, told);
    }

    private static Cluster cluster() {
        var node = new Node(0, "localhost", 9092);
        var partitions = new ArrayList<PartitionInfo>();
        for (var topic : List.of(COMMANDS, REQUESTS)) {
            for (int i = 0; i < PARTITIONS; i++) {
                partitions.add(
                        new PartitionInfo(topic, i, node, new Node[] {node}, new Node[] {node}));
            }
        }
        return new Cluster("cluster", List.of(node), partitions, Set.of(), Set.of());
    }
}
