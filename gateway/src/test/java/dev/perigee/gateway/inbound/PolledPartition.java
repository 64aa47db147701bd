package dev.perigee.gateway.inbound;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * One partition's feed with what a poll loop does for it, each step when the test says so. For
 * tests of those who have a feed; the test's thread is the poll loop's.
 */
public final class PolledPartition {
    private static final FeedLimits LIMITS = new FeedLimits(1_000, 64 << 20);

    private final PartitionFeed feed;

    /** The first tenure of a partition, of a group that is heard. */
    public PolledPartition(int partition) {
        var pollThread =
                new PartitionFeed.PollThread() {
                    @Override
                    public void resume(PartitionFeed of, Topic topic) {}

                    @Override
                    public void commit() {}
                };
        this.feed =
                new PartitionFeed(
                        new Tenure(partition, 1),
                        0,
                        new TenureLease(Duration.ofHours(1), System::nanoTime),
                        LIMITS,
                        new Intake(ByteBudget.of(64 << 20)).share(),
                        pollThread,
                        Map.of());
    }

    public PartitionFeed feed() {
        return feed;
    }

    /** A record was polled, and goes to the handler. */
    public void polled(
            PartitionHandler handler, Topic topic, ConsumerRecord<byte[], byte[]> record) {
        long next = record.offset() + 1;
        var tracker = feed.tracker(topic);
        tracker.add(record.offset(), Intake.size(record));
        tracker.advanceTo(next);
        feed.handedOver(List.of(record));
        handler.records(feed, topic, List.of(record), next);
    }

    /** Commits offsets of requests; empty before the owner knows the position to go on from. */
    public OptionalLong commit(PartitionHandler handler) {
        var ledger = feed.ledger();
        if (ledger == null) {
            return OptionalLong.empty();
        }
        ledger.period();
        var position = ledger.current(ProgressCodec.MAX_BITMAP_BYTES);
        ledger.committed(position);
        handler.committed(feed, position.offset().offset());
        return OptionalLong.of(position.offset().offset());
    }

    /** Whether a request is done, also while one before it is open. */
    public boolean isDone(long offset) {
        var ledger = feed.ledger();
        if (ledger == null) {
            return false;
        }
        var at = ledger.current(ProgressCodec.MAX_BITMAP_BYTES).offset();
        return at.offset() > offset
                || ProgressCodec.decode(at.metadata(), at.offset()).completed().contains(offset);
    }

    /** The tenure is about to end: no answer begins any more. */
    public void leave() {
        feed.answers().close();
    }

    /** The group gives the partition to another gateway. */
    public void revoke(PartitionHandler handler) {
        feed.end();
        handler.revoked(feed.tenure());
    }

    /** The group was not heard for too long, or has thrown the gateway out. */
    public void silence(PartitionHandler handler) {
        feed.silence();
        handler.dropUnsent();
        handler.revoked(feed.tenure());
    }
}
