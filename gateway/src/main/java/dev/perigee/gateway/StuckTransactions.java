package dev.perigee.gateway;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeProducersOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.DescribeTransactionsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends hanging transactions in what gateways write by transactions: records that their partition
 * takes for a transaction's and the transaction coordinator does not, as a broker may leave them
 * that loses and regains its leadership in the middle of a transaction. No commit or abort marker
 * follows them, so no consumer reads beyond them: the partition of the state topic is never
 * restored, results and statuses never reach a backend; offsets in such a transaction are not told
 * to the group's consumers, who read nothing then. Looks every few seconds at the partitions that
 * are this gateway's share; what is open and the same for {@link #PATIENCE}, and over as its
 * coordinator says, is aborted. That needs the right Alter on the cluster; without it the log says
 * what to run. One whose producer no coordinator has, or shows to a gateway, may be another
 * application's: it is let alone, and named once it is older than transactions become. One virtual
 * thread.
 */
final class StuckTransactions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StuckTransactions.class);
    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final int ANSWER_MS = 10_000;
    private static final String OFFSETS =
            org.apache.kafka.common.internals.Topic.GROUP_METADATA_TOPIC_NAME;

    /** More than the timeout of a gateway's transaction, and what a broker needs to end it. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** More than brokers let any transaction be open, by default. */
    private static final Duration OLDEST = Duration.ofMinutes(16);

    /** What gateways write by transactions. */
    private static final Set<Topic> WRITTEN =
            EnumSet.of(
                    Topic.COMMANDS,
                    Topic.COMMAND_RESULTS,
                    Topic.STATUS,
                    Topic.TOOLS,
                    Topic.CATALOG,
                    Topic.STATE);

    private static final Set<TransactionState> OVER =
            EnumSet.of(
                    TransactionState.EMPTY,
                    TransactionState.COMPLETE_COMMIT,
                    TransactionState.COMPLETE_ABORT);

    private final Admin admin;
    private final TopicNames names;
    private final String group;
    private final Supplier<? extends Collection<Integer>> partitions;
    private final Counter ended;
    private final Map<Open, Long> since = new HashMap<>();
    private final Set<Open> told = new HashSet<>();
    private final PeriodicLook looks = new PeriodicLook("watch-transactions", PERIOD, this::look);

    /** A transaction as the leader of a partition knows it. */
    private record Open(
            TopicPartition partition, long producerId, int epoch, int coordinator, long start) {}

    /**
     * @param group of gateways, whose offsets are part of their transactions
     * @param partitions of this gateway
     */
    StuckTransactions(
            Admin admin,
            TopicNames names,
            String group,
            Supplier<? extends Collection<Integer>> partitions,
            MeterRegistry metrics) {
        this.admin = admin;
        this.names = names;
        this.group = group;
        this.partitions = partitions;
        this.ended =
                Counter.builder("perigee.gateway.transactions.hanging")
                        .description(
                                "Hanging transactions in topics of this gateway that were aborted")
                        .register(metrics);
    }

    void start() {
        looks.start();
    }

    private void look() throws InterruptedException {
        try {
            var open = open();
            since.keySet().retainAll(open);
            told.retainAll(open);
            long now = System.nanoTime();
            open.forEach(each -> since.putIfAbsent(each, now));
            var old = since(open, now, PATIENCE);
            if (!old.isEmpty()) {
                var known = known(old);
                var over = over(old, known);
                over.retainAll(open()); // What is open now may be the producer's next one.
                for (var each : over) {
                    abort(each);
                }
                since(open, now, OLDEST).stream()
                        .filter(each -> known.stream().noneMatch(of -> isOf(each, of)))
                        .forEach(each -> tell(each, "no coordinator tells of its producer"));
            }
        } catch (ExecutionException e) {
            LOG.atDebug().setCause(e).log("Cannot look for hanging transactions");
        }
    }

    private List<Open> since(Set<Open> open, long now, Duration age) {
        return open.stream()
                .filter(each -> now - since.getOrDefault(each, now) >= age.toNanos())
                .toList();
    }

    /** What is open in this gateway's share, as far as brokers answer and it may read. */
    private Set<Open> open() throws InterruptedException, ExecutionException {
        var asked = share();
        if (asked.isEmpty()) {
            return Set.of();
        }
        var answers =
                admin.describeProducers(asked, new DescribeProducersOptions().timeoutMs(ANSWER_MS));
        var open = new HashSet<Open>();
        for (var partition : asked) {
            answered(answers.partitionResult(partition))
                    .ifPresent(
                            state ->
                                    state.activeProducers().stream()
                                            .filter(
                                                    p ->
                                                            p.currentTransactionStartOffset()
                                                                    .isPresent())
                                            .forEach(p -> open.add(open(partition, p))));
        }
        return open;
    }

    /**
     * Each partition is the share of the gateway that has the process partition of its number, and
     * that of the group's offsets the share of who has the first.
     */
    private List<TopicPartition> share() throws InterruptedException {
        var mine = Set.copyOf(partitions.get());
        if (mine.isEmpty()) {
            return List.of();
        }
        var counts = counts();
        int processes = counts.getOrDefault(names.of(Topic.STATE), Integer.MAX_VALUE);
        var share = new ArrayList<TopicPartition>();
        for (var topic : WRITTEN) {
            IntStream.range(0, counts.getOrDefault(names.of(topic), 0))
                    .filter(partition -> mine.contains(partition % processes))
                    .forEach(p -> share.add(new TopicPartition(names.of(topic), p)));
        }
        int offsets = counts.getOrDefault(OFFSETS, 0);
        if (offsets > 0 && mine.contains(0)) {
            share.add(new TopicPartition(OFFSETS, Utils.abs(group.hashCode()) % offsets));
        }
        return share;
    }

    /** How many partitions topics have, without those that are missing or may not be seen. */
    private Map<String, Integer> counts() throws InterruptedException {
        var asked = WRITTEN.stream().map(names::of).collect(Collectors.toList());
        asked.add(OFFSETS);
        var counts = new HashMap<String, Integer>();
        for (var each :
                admin.describeTopics(asked, new DescribeTopicsOptions().timeoutMs(ANSWER_MS))
                        .topicNameValues()
                        .entrySet()) {
            answered(each.getValue())
                    .ifPresent(topic -> counts.put(each.getKey(), topic.partitions().size()));
        }
        return counts;
    }

    /** Empty when it failed: an optional topic may be missing, or the right to read it. */
    private static <T> Optional<T> answered(KafkaFuture<T> answer) throws InterruptedException {
        try {
            return Optional.of(answer.get());
        } catch (ExecutionException e) {
            LOG.atDebug().setCause(e).log("Not looked at for hanging transactions");
            return Optional.empty();
        }
    }

    private static Open open(TopicPartition partition, ProducerState producer) {
        return new Open(
                partition,
                producer.producerId(),
                producer.producerEpoch(),
                producer.coordinatorEpoch().orElse(0),
                producer.currentTransactionStartOffset().orElseThrow());
    }

    /** What coordinators say of their producers; all brokers have to answer. */
    private Collection<TransactionListing> known(List<Open> open)
            throws InterruptedException, ExecutionException {
        var producers = open.stream().map(Open::producerId).collect(Collectors.toSet());
        return admin.listTransactions(
                        new ListTransactionsOptions()
                                .filterProducerIds(producers)
                                .timeoutMs(ANSWER_MS))
                .all()
                .get();
    }

    private static boolean isOf(Open open, TransactionListing transaction) {
        return transaction.producerId() == open.producerId();
    }

    /** Those of a producer whose coordinator has it in no transaction with the partition. */
    private Set<Open> over(List<Open> open, Collection<TransactionListing> known)
            throws InterruptedException, ExecutionException {
        var running =
                admin.describeTransactions(
                                known.stream()
                                        .filter(each -> !OVER.contains(each.state()))
                                        .map(TransactionListing::transactionalId)
                                        .toList(),
                                new DescribeTransactionsOptions().timeoutMs(ANSWER_MS))
                        .all()
                        .get()
                        .values();
        return open.stream()
                .filter(each -> known.stream().anyMatch(of -> isOf(each, of)))
                .filter(
                        each ->
                                running.stream()
                                        .noneMatch(
                                                transaction ->
                                                        transaction.producerId()
                                                                        == each.producerId()
                                                                && transaction
                                                                        .topicPartitions()
                                                                        .contains(
                                                                                each.partition())))
                .collect(Collectors.toSet());
    }

    private void abort(Open each) throws InterruptedException {
        try {
            admin.abortTransaction(
                            new AbortTransactionSpec(
                                    each.partition(),
                                    each.producerId(),
                                    (short) each.epoch(),
                                    each.coordinator()))
                    .all()
                    .get();
            ended.increment();
            LOG.atWarn()
                    .addKeyValue("topic", each.partition().topic())
                    .addKeyValue("partition", each.partition().partition())
                    .addKeyValue("offset", each.start())
                    .log("Aborted a hanging transaction");
        } catch (ExecutionException e) {
            tell(each, String.valueOf(e.getCause()));
        }
    }

    /** Once for each. */
    private void tell(Open each, String reason) {
        if (told.add(each)) {
            LOG.atError()
                    .addKeyValue("reason", reason)
                    .log(
                            "A transaction hangs, and nothing behind it is read. Run:"
                                    + " kafka-transactions --bootstrap-server ... abort --topic {}"
                                    + " --partition {} --start-offset {}",
                            each.partition().topic(),
                            each.partition().partition(),
                            each.start());
        }
    }

    @Override
    public void close() {
        looks.close();
    }
}
