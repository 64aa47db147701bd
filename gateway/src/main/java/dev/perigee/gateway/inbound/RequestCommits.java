package dev.perigee.gateway.inbound;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits how far requests are, of all partitions at once: regularly, and at once when calls wait
 * for it. A commit carries the group's generation, so one of a gateway that lost its partitions is
 * refused; commits of one gateway take effect in their order. One that is taken is the group's word
 * that the partitions are still this gateway's, see {@link TenureLease}: when there is nothing new
 * to commit, what is known is committed again. For the poll thread.
 */
final class RequestCommits {
    /** Between two commits, unless one is urgent. */
    static final Duration INTERVAL = Duration.ofMillis(250);

    /** Between two commits, though there is nothing new: a fraction of any session timeout. */
    static final Duration WORD = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(RequestCommits.class);
    private static final Duration LAST_COMMIT = Duration.ofSeconds(2);

    /** After so long without a commit one is made though the group is being rebalanced. */
    private static final Duration MEANWHILE = Duration.ofMillis(500);

    /** Before another is tried: one that times out holds up the poll loop for seconds. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(3);

    private final Consumer<byte[], byte[]> consumer;
    private final String topic;
    private final Collection<PartitionFeed> feeds;
    private final PartitionHandler handler;
    private final RebalanceCommit rebalanceCommit;
    private final LongSupplier clock;
    private long lastAt;
    private long askedAt;
    private long takenAt;
    private boolean mayHurry = true;
    private boolean isRebalanced;
    private boolean mayNotMeanwhile;
    private int maxBitmapBytes = ProgressCodec.MAX_BITMAP_BYTES;

    /**
     * @param topic of requests
     * @param feeds that this gateway has at the moment; a view
     * @param rebalanceCommit for what is to be said while the group is rebalanced
     * @param clock in nanoseconds
     */
    RequestCommits(
            Consumer<byte[], byte[]> consumer,
            String topic,
            Collection<PartitionFeed> feeds,
            PartitionHandler handler,
            RebalanceCommit rebalanceCommit,
            LongSupplier clock) {
        this.consumer = consumer;
        this.topic = topic;
        this.feeds = feeds;
        this.handler = handler;
        this.rebalanceCommit = rebalanceCommit;
        this.clock = clock;
        this.lastAt = clock.getAsLong();
        this.askedAt = lastAt - WORD.toNanos();
        this.takenAt = lastAt;
    }

    /** Commits, unless it is too early. */
    void ifDue() {
        long now = clock.getAsLong();
        boolean due = now - lastAt >= INTERVAL.toNanos();
        if (due) {
            ledgers(feeds).forEach(RequestLedger::period);
        }
        if (due || (mayHurry && isUrgent())) {
            lastAt = now;
            var positions = positions(feeds);
            if (isRebalanced && now - takenAt >= MEANWHILE.toNanos() && !positions.isEmpty()) {
                commitMeanwhile(positions);
            } else {
                boolean wordDue = now - askedAt >= WORD.toNanos();
                commit(positions.isEmpty() && wordDue ? known() : positions);
            }
        }
    }

    /**
     * Keeps what a successor would repeat small: a rebalance that waits for a member that is lost
     * takes the group's session timeout, and one may follow the other.
     */
    private void commitMeanwhile(Map<PartitionFeed, RequestLedger.Position> positions) {
        long asked = clock.getAsLong();
        if (isTakenMeanwhile(offsets(positions))) {
            positions.keySet().forEach(feed -> feed.lease().claimed(asked));
            committed(positions, null);
            takenAt = clock.getAsLong();
        } else {
            takenAt = clock.getAsLong() + AFTER_FAILURE.toNanos();
        }
    }

    /** Something that the group knows already. */
    private Map<PartitionFeed, RequestLedger.Position> known() {
        for (var feed : feeds) {
            var ledger = feed.ledger();
            if (ledger != null) {
                return Map.of(feed, ledger.current(maxBitmapBytes));
            }
        }
        return Map.of();
    }

    private boolean isUrgent() {
        return ledgers(feeds).stream().anyMatch(RequestLedger::isUrgent);
    }

    /**
     * Commits what the next owners need to know, and waits for it, bounded.
     *
     * @return false when the group may take it later, as it is being rebalanced
     */
    boolean last(Collection<PartitionFeed> leaving) {
        ledgers(leaving).forEach(RequestLedger::seal);
        var positions = positions(leaving);
        var offsets = offsets(positions.isEmpty() ? known() : positions);
        if (offsets.isEmpty()) {
            return true;
        }
        long asked = clock.getAsLong();
        try {
            commitSync(offsets, asked + LAST_COMMIT.toNanos());
            feeds.forEach(feed -> feed.lease().heard(asked));
        } catch (RebalanceInProgressException e) {
            return isTakenMeanwhile(offsets);
        } catch (KafkaException e) {
            LOG.atInfo()
                    .setCause(e)
                    .log(
                            "Offsets of revoked partitions not committed; requests may be redelivered");
        }
        return true;
    }

    /** Retries when woken for tasks of the poll thread, which run later. */
    private void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, long deadline) {
        while (true) {
            try {
                consumer.commitSync(offsets, LAST_COMMIT);
                return;
            } catch (WakeupException e) {
                if (clock.getAsLong() - deadline > 0) {
                    throw e;
                }
            }
        }
    }

    /** False when nothing is committed; asking again later may help. */
    private boolean isTakenMeanwhile(Map<TopicPartition, OffsetAndMetadata> offsets) {
        var member = consumer.groupMetadata();
        if (mayNotMeanwhile || !isFenced(member.generationId(), member.memberId())) {
            return false;
        }
        try {
            rebalanceCommit.commit(offsets, member);
            return true;
        } catch (AuthorizationException e) {
            mayNotMeanwhile = true;
            LOG.atWarn()
                    .setCause(e)
                    .log(
                            "Offsets are not committed while the group is rebalanced: 'perigee acls"
                                    + " gateway' has the rights that a gateway needs");
        } catch (KafkaException e) {
            LOG.atInfo().setCause(e).log("Offsets not committed while the group is rebalanced");
        }
        return false;
    }

    /**
     * Whether the coordinator checks the member and its generation: it accepts a transaction that
     * names neither from anybody.
     */
    static boolean isFenced(int generation, String memberId) {
        return generation >= 0 && !memberId.isEmpty();
    }

    private void commit(Map<PartitionFeed, RequestLedger.Position> positions) {
        mayHurry = positions.isEmpty();
        if (!mayHurry) {
            var owned = List.copyOf(feeds);
            long asked = clock.getAsLong();
            askedAt = asked;
            isRebalanced = false;
            consumer.commitAsync(
                    offsets(positions),
                    (_, failure) -> {
                        isRebalanced = failure instanceof RebalanceInProgressException;
                        if (failure == null) {
                            takenAt = asked;
                            owned.forEach(feed -> feed.lease().heard(asked));
                        } else if (askedAt == asked) {
                            askedAt = asked - WORD.toNanos(); // Asks again with the next.
                        }
                        committed(positions, failure);
                    });
        }
    }

    private void committed(
            Map<PartitionFeed, RequestLedger.Position> positions, @Nullable Exception failure) {
        if (failure == null) {
            mayHurry = true;
            positions.forEach(this::committed);
            if (isUrgent()) {
                consumer.wakeup();
            }
        } else if (failure instanceof OffsetMetadataTooLarge && maxBitmapBytes > 0) {
            maxBitmapBytes /= 2;
            LOG.atWarn()
                    .addKeyValue("bytes", maxBitmapBytes)
                    .log(
                            "The broker's offset.metadata.max.bytes is below 4096: after a failure"
                                    + " more calls end as outcome_unknown than need to");
        } else {
            LOG.atDebug()
                    .setCause(failure)
                    .log("Offset commit failed; the next commit includes them");
        }
    }

    private void committed(PartitionFeed feed, RequestLedger.Position position) {
        var ledger = feed.ledger();
        if (ledger != null && feeds.contains(feed)) {
            ledger.committed(position);
            handler.committed(feed, position.offset().offset());
        }
    }

    private Map<PartitionFeed, RequestLedger.Position> positions(Collection<PartitionFeed> feeds) {
        var positions = new HashMap<PartitionFeed, RequestLedger.Position>();
        for (var feed : feeds) {
            var ledger = feed.ledger();
            var position = ledger == null ? null : ledger.toCommit(maxBitmapBytes);
            if (position != null) {
                positions.put(feed, position);
            }
        }
        return positions;
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets(
            Map<PartitionFeed, RequestLedger.Position> positions) {
        var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
        positions.forEach(
                (feed, position) ->
                        offsets.put(
                                new TopicPartition(topic, feed.tenure().partition()),
                                position.offset()));
        return offsets;
    }

    private static List<RequestLedger> ledgers(Collection<PartitionFeed> feeds) {
        return feeds.stream().map(PartitionFeed::ledger).filter(ledger -> ledger != null).toList();
    }
}
