package dev.perigee.gateway;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeProducersOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends hanging transactions in the state topic: records of a transaction that their partition has
 * and the transaction coordinator does not, as a broker may leave them that loses and regains its
 * leadership in the middle of a transaction. No commit or abort marker follows them, so no consumer
 * reads beyond them, and the partition is never restored. Looks every few seconds at the partitions
 * of this gateway; what is open and the same for {@link #PATIENCE}, and unknown to every
 * coordinator, is aborted. That needs the right Alter on the cluster, and Describe on the
 * transactional ids of all who write there: of others it would be taken for hanging. Without Alter
 * the log says what to run. One virtual thread.
 */
final class StuckTransactions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StuckTransactions.class);
    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final int ANSWER_MS = 10_000;

    /** More than the timeout of a gateway's transaction, and what a broker needs to end it. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Set<TransactionState> OVER =
            EnumSet.of(
                    TransactionState.EMPTY,
                    TransactionState.COMPLETE_COMMIT,
                    TransactionState.COMPLETE_ABORT);

    private final Admin admin;
    private final String topic;
    private final Supplier<? extends Collection<Integer>> partitions;
    private final Counter ended;
    private final Map<Open, Long> since = new HashMap<>();
    private final Set<Open> told = new HashSet<>();
    private final PeriodicLook looks = new PeriodicLook("watch-transactions", PERIOD, this::look);

    /** A transaction as the leader of a partition knows it. */
    private record Open(
            TopicPartition partition, long producerId, int epoch, int coordinator, long start) {}

    /**
     * @param partitions of this gateway
     */
    StuckTransactions(
            Admin admin,
            TopicNames names,
            Supplier<? extends Collection<Integer>> partitions,
            MeterRegistry metrics) {
        this.admin = admin;
        this.topic = names.of(Topic.STATE);
        this.partitions = partitions;
        this.ended =
                Counter.builder("perigee.gateway.transactions.hanging")
                        .description("Hanging transactions in the state topic that were aborted")
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
            var old =
                    open.stream()
                            .filter(
                                    each ->
                                            now - since.getOrDefault(each, now)
                                                    >= PATIENCE.toNanos())
                            .toList();
            if (!old.isEmpty()) {
                var live = live(old);
                for (var each : old) {
                    if (!live.contains(each)) {
                        abort(each);
                    }
                }
            }
        } catch (ExecutionException e) {
            LOG.atDebug().setCause(e).log("Cannot look for hanging transactions");
        }
    }

    private Set<Open> open() throws InterruptedException, ExecutionException {
        var asked = partitions.get().stream().map(each -> new TopicPartition(topic, each)).toList();
        if (asked.isEmpty()) {
            return Set.of();
        }
        var open = new HashSet<Open>();
        admin.describeProducers(asked, new DescribeProducersOptions().timeoutMs(ANSWER_MS))
                .all()
                .get()
                .forEach(
                        (partition, state) ->
                                state.activeProducers().stream()
                                        .filter(p -> p.currentTransactionStartOffset().isPresent())
                                        .forEach(p -> open.add(open(partition, p))));
        return open;
    }

    private static Open open(TopicPartition partition, ProducerState producer) {
        return new Open(
                partition,
                producer.producerId(),
                producer.producerEpoch(),
                producer.coordinatorEpoch().orElse(0),
                producer.currentTransactionStartOffset().orElseThrow());
    }

    /** Those that a coordinator will end; all brokers have to answer. */
    private Set<Open> live(List<Open> open) throws InterruptedException, ExecutionException {
        var producers = open.stream().map(Open::producerId).collect(Collectors.toSet());
        var ids =
                admin
                        .listTransactions(
                                new ListTransactionsOptions()
                                        .filterProducerIds(producers)
                                        .timeoutMs(ANSWER_MS))
                        .all()
                        .get()
                        .stream()
                        .filter(each -> !OVER.contains(each.state()))
                        .map(TransactionListing::transactionalId)
                        .toList();
        var known = admin.describeTransactions(ids).all().get().values();
        return open.stream()
                .filter(
                        each ->
                                known.stream()
                                        .anyMatch(
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
                    .addKeyValue("partition", each.partition().partition())
                    .addKeyValue("offset", each.start())
                    .log("Aborted a hanging transaction in the state topic");
        } catch (ExecutionException e) {
            if (told.add(each)) {
                LOG.atError()
                        .addKeyValue("partition", each.partition().partition())
                        .addKeyValue("reason", String.valueOf(e.getCause()))
                        .log(
                                "A transaction hangs, and nothing behind it is read. Run:"
                                        + " kafka-transactions --bootstrap-server ... abort --topic {}"
                                        + " --partition {} --start-offset {}",
                                topic,
                                each.partition().partition(),
                                each.start());
            }
        }
    }

    @Override
    public void close() {
        looks.close();
    }
}
