package dev.perigee.gateway.inbound;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that touches the consumer. It polls, hands records to the owners of their
 * partitions, pauses what has too much open, commits the offsets of requests that are done and
 * keeps {@link Membership} up to date. It decides nothing else and blocks on no owner.
 *
 * <p>Once the group has accepted no commit for its session timeout others may own the partitions,
 * with or without a rebalance here: every tenure ends, and the gateway joins the group anew.
 *
 * <p>A partition is one of commands and the one of tool-requests of the same number: {@link
 * CoPartitionedAssignor} moves both together. It begins when both are assigned and ends when either
 * goes.
 */
public final class PollLoop implements ConsumerRebalanceListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PollLoop.class);
    private static final Duration FORGET_WAIT = Duration.ofSeconds(5);
    private static final Duration COMMITTED_WAIT = Duration.ofSeconds(5);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

    private final Consumer<byte[], byte[]> consumer;
    private final TopicNames names;
    private final FeedLimits limits;
    private final Duration sessionTimeout;
    private final Intake intake;
    private final Membership membership;
    private final PartitionHandler handler;
    private final RequestCommits commits;
    private final GracefulLeave leaving;
    private final Thread thread;
    private final Map<Integer, PartitionFeed> feeds = new HashMap<>();
    private final Gains gains = new Gains();
    private final Set<Integer> announced = new TreeSet<>();
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final PartitionFeed.PollThread pollThread =
            new PartitionFeed.PollThread() {
                @Override
                public void resume(PartitionFeed feed, Topic topic) {
                    onPollThread(() -> PollLoop.this.resume(feed, topic));
                }

                @Override
                public void commit() {
                    consumer.wakeup();
                }
            };
    private final LastingFailure polling = new LastingFailure(LOG);
    private volatile boolean stopping;
    private volatile boolean member;
    private long tenures;
    private volatile Map<Topic, String> linkNames = Map.of();
    private volatile boolean suspicious;

    /**
     * @param consumer one that reads values by the intake
     * @param sessionTimeout after which the group gives to others what this gateway has
     * @param rebalanceCommit for what is left to say when it leaves a group that is being
     *     rebalanced
     */
    public PollLoop(
            Consumer<byte[], byte[]> consumer,
            TopicNames names,
            FeedLimits limits,
            Duration sessionTimeout,
            Intake intake,
            Membership membership,
            PartitionHandler handler,
            RebalanceCommit rebalanceCommit) {
        this.consumer = consumer;
        this.names = names;
        this.limits = limits;
        this.sessionTimeout = sessionTimeout;
        this.intake = intake;
        this.membership = membership;
        this.handler = handler;
        this.commits =
                new RequestCommits(
                        consumer,
                        names.of(Topic.TOOL_REQUESTS),
                        feeds.values(),
                        handler,
                        rebalanceCommit,
                        System::nanoTime);
        this.leaving = new GracefulLeave(consumer, commits);
        this.thread = Thread.ofPlatform().name("poll").unstarted(this::run);
    }

    /** Joins the group and begins to poll. */
    public void start() {
        thread.start();
    }

    /** What workers know the topics by, where it is not their names; before the start. */
    public void linkNames(Map<Topic, String> names) {
        linkNames = Map.copyOf(names);
    }

    /**
     * Topics were deleted and made again: nothing of what was known of them is true any more, and
     * they are read from the beginning. Any thread.
     */
    public void replaced(Set<Topic> topics, Map<Topic, String> newLinkNames) {
        onPollThread(
                () -> {
                    suspicious = false;
                    var present = Set.copyOf(feeds.keySet());
                    end(present);
                    linkNames(newLinkNames);
                    forgetOffsets(topics, present);
                    rejoin();
                });
    }

    /** Whether a topic's offsets were seen to begin anew, so that nothing of it is handed over. */
    public boolean isSuspicious() {
        return suspicious;
    }

    /** What the group knew is of topics that are gone. */
    private void forgetOffsets(Set<Topic> topics, Set<Integer> partitions) {
        var beginnings = new HashMap<TopicPartition, OffsetAndMetadata>();
        for (var topic : topics) {
            for (int partition : partitions) {
                beginnings.put(
                        new TopicPartition(names.of(topic), partition), new OffsetAndMetadata(0));
            }
        }
        if (beginnings.isEmpty()) {
            return;
        }
        try {
            try {
                consumer.commitSync(beginnings, FORGET_WAIT);
            } catch (WakeupException e) {
                consumer.commitSync(beginnings, FORGET_WAIT); // Woken for a task, which runs later.
            }
        } catch (KafkaException e) {
            LOG.atWarn().setCause(e).log("Offsets of deleted topics were not reset");
        }
    }

    /** Lets the group assign its partitions anew: it would not do so as before. Any thread. */
    public void reassign() {
        onPollThread(
                () -> consumer.enforceRebalance("other partitions may be assigned, or elsewhere"));
    }

    /** True once the group gave this gateway an assignment, be it an empty one. */
    public boolean isMember() {
        return member;
    }

    /** Why nothing can be read, null while it can. */
    public @Nullable String problem() {
        return polling.reason();
    }

    /** Leaves the group: every partition is revoked before this returns, bounded. */
    @Override
    public void close() {
        stopping = true;
        consumer.wakeup();
        try {
            thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        join();
        while (!stopping) {
            try {
                expireIfDue();
                intake.begin();
                var records = consumer.poll(RequestCommits.INTERVAL);
                polling.over();
                membership.update(consumer.groupMetadata(), tenureNumbers());
                announce();
                dispatch(records);
                runTasks();
                commits.ifDue();
            } catch (WakeupException e) {
                runTasks();
                commits.ifDue();
            } catch (InterruptException e) {
                stopping = true;
            } catch (KafkaException e) {
                polling.failed("Polling failed; retrying", e);
                pauseAfterFailure();
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("Unexpected error; rejoining the group");
                pauseAfterFailure();
                rejoin();
            }
        }
        leave();
    }

    /** Ends all tenures when a lease is over; before anything else, also after a pause. */
    private void expireIfDue() {
        if (feeds.values().stream().allMatch(feed -> feed.lease().isHeld())) {
            return;
        }
        LOG.atWarn()
                .addKeyValue("partitions", feeds.keySet().toString())
                .log(
                        "No commit accepted for the session timeout; the group may have given the"
                                + " partitions to others: this gateway publishes no more of them"
                                + " and rejoins");
        feeds.values().forEach(PartitionFeed::silence);
        member = false;
        end(Set.copyOf(feeds.keySet()));
        // As the same member, where the group still knows it: it would wait for one that is gone.
        consumer.enforceRebalance("no commit accepted for the session timeout");
        handler.dropUnsent();
    }

    private void join() {
        consumer.subscribe(List.of(names.of(Topic.COMMANDS), names.of(Topic.TOOL_REQUESTS)), this);
    }

    /** What was polled and not handed over is read again: it was not committed. */
    private void rejoin() {
        try {
            consumer.unsubscribe();
        } catch (KafkaException e) {
            LOG.atWarn()
                    .setCause(e)
                    .log("Leaving the group failed; the session timeout ends the membership");
        }
        end(Set.copyOf(feeds.keySet()));
        tasks.clear();
        join();
    }

    private void leave() {
        leaving.commit(feeds.values());
        try {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(5)));
        } catch (KafkaException e) {
            LOG.atWarn()
                    .setCause(e)
                    .log("Leaving the group failed; the session timeout ends the membership");
        }
        end(Set.copyOf(feeds.keySet()));
    }

    /** Closing waits for this, so it is short. */
    private void pauseAfterFailure() {
        try {
            Thread.sleep(PAUSE_AFTER_FAILURE); // The client has no callback for recovery.
        } catch (InterruptedException e) {
            stopping = true;
        }
    }

    private Map<Integer, Long> tenureNumbers() {
        return feeds.values().stream()
                .map(PartitionFeed::tenure)
                .collect(Collectors.toMap(Tenure::partition, Tenure::number));
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        member = true;
        int generation = consumer.groupMetadata().generationId();
        var added = numbersOf(partitions);
        for (int partition : added) {
            begin(partition, gains.assigned(partition, generation, System.nanoTime()));
        }
        var kept = new TreeSet<>(numbersOf(consumer.assignment()));
        kept.removeAll(feeds.keySet());
        if (!kept.isEmpty() && areReadAgain(kept)) {
            for (int partition : kept) {
                begin(partition, gains.kept(partition, generation, System.nanoTime()));
            }
        }
    }

    private void begin(int partition, long gainedAt) {
        if (!feeds.containsKey(partition)) {
            feeds.put(
                    partition,
                    new PartitionFeed(
                            new Tenure(partition, ++tenures),
                            gainedAt,
                            new TenureLease(sessionTimeout, System::nanoTime),
                            limits,
                            intake.share(),
                            pollThread,
                            linkNames));
            announced.add(partition);
        }
    }

    /**
     * The group never revoked these, so it does not assign them again either: their tenures ended
     * with their leases, and records beyond the committed offset are read again.
     */
    private boolean areReadAgain(Set<Integer> numbers) {
        var partitions =
                consumer.assignment().stream()
                        .filter(partition -> numbers.contains(partition.partition()))
                        .collect(Collectors.toSet());
        try {
            var committed = committed(partitions);
            for (var partition : partitions) {
                var offset = committed.get(partition);
                if (offset == null) {
                    consumer.seekToBeginning(Set.of(partition));
                } else {
                    consumer.seek(partition, offset);
                }
            }
            consumer.resume(partitions);
            return true;
        } catch (KafkaException e) {
            LOG.atWarn().setCause(e).log("Cannot read committed offsets; rejoining the group");
            onPollThread(this::rejoin);
            return false;
        }
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
        try {
            return consumer.committed(partitions, COMMITTED_WAIT);
        } catch (WakeupException e) {
            return consumer.committed(partitions, COMMITTED_WAIT); // Woken for a task, run later.
        }
    }

    /** Owners begin when the view already has their tenure: a claim needs it. */
    private void announce() {
        for (int partition : announced) {
            var feed = feeds.get(partition);
            if (feed != null) {
                handler.assigned(feed);
            }
        }
        announced.clear();
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        var numbers = numbersOf(partitions);
        var revoked = feedsOf(numbers);
        GracefulLeave.finishAnswers(revoked);
        end(numbers);
        boolean _ = commits.last(revoked);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        var numbers = numbersOf(partitions);
        feedsOf(numbers).forEach(PartitionFeed::silence);
        end(numbers);
        handler.dropUnsent();
    }

    private void end(Set<Integer> numbers) {
        for (int partition : numbers) {
            var feed = feeds.remove(partition);
            if (feed != null) {
                if (!announced.remove(partition)) {
                    handler.revoked(feed.tenure());
                }
                feed.end();
            }
        }
        membership.retain(tenureNumbers());
    }

    private void dispatch(ConsumerRecords<byte[], byte[]> records) {
        for (var position : records.nextOffsets().entrySet()) {
            var partition = position.getKey();
            var feed = feeds.get(partition.partition());
            var topic = names.topic(partition.topic());
            if (feed != null && topic != null) {
                var taken = records.records(partition);
                if (!taken.isEmpty() && !goesOn(feed, topic, taken, position.getValue().offset())) {
                    continue;
                }
                int left = Intake.firstLeft(taken);
                if (left < 0) {
                    dispatch(feed, topic, taken, position.getValue().offset());
                } else {
                    long again = taken.get(left).offset();
                    consumer.seek(partition, again);
                    feed.handedBack(topic, again);
                    dispatch(feed, topic, List.copyOf(taken.subList(0, left)), again);
                }
            }
        }
    }

    private boolean goesOn(
            PartitionFeed feed,
            Topic topic,
            List<ConsumerRecord<byte[], byte[]>> records,
            long next) {
        boolean on = feed.goesOn(topic, records.getFirst().offset(), next);
        if (!on && !suspicious) {
            suspicious = true;
            LOG.atWarn()
                    .addKeyValue("topic", names.of(topic))
                    .addKeyValue("partition", feed.tenure().partition())
                    .log("Offsets restart; checking whether the topic was recreated");
        }
        return on;
    }

    private void dispatch(
            PartitionFeed feed,
            Topic topic,
            List<ConsumerRecord<byte[], byte[]>> records,
            long nextOffset) {
        var tracker = feed.tracker(topic);
        for (var record : records) {
            tracker.add(record.offset(), Intake.size(record));
        }
        tracker.advanceTo(nextOffset);
        feed.handedOver(records);
        if (feed.isFull(topic)) {
            feed.setPaused(topic, true);
            consumer.pause(Set.of(partitionOf(feed, topic)));
        }
        handler.records(feed, topic, records, nextOffset);
        if (feed.isPaused(topic) && feed.mayResume(topic)) {
            pollThread.resume(feed, topic);
        }
    }

    private void onPollThread(Runnable task) {
        tasks.add(task);
        consumer.wakeup();
    }

    private void runTasks() {
        for (var task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private void resume(PartitionFeed feed, Topic topic) {
        if (feed.isPaused(topic) && isCurrent(feed)) {
            feed.setPaused(topic, false);
            consumer.resume(Set.of(partitionOf(feed, topic)));
        }
    }

    private TopicPartition partitionOf(PartitionFeed feed, Topic topic) {
        return new TopicPartition(names.of(topic), feed.tenure().partition());
    }

    private boolean isCurrent(PartitionFeed feed) {
        return feed.equals(feeds.get(feed.tenure().partition()));
    }

    private List<PartitionFeed> feedsOf(Set<Integer> partitions) {
        return feeds.values().stream()
                .filter(feed -> partitions.contains(feed.tenure().partition()))
                .toList();
    }

    private static Set<Integer> numbersOf(Collection<TopicPartition> partitions) {
        return partitions.stream()
                .map(TopicPartition::partition)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
