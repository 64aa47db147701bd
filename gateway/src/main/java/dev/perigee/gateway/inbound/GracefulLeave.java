package dev.perigee.gateway.inbound;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * End of tenures in good order: no answer begins any more, those that were begun are waited for,
 * and the offsets of what is done are committed, so that the next owner answers none of it again
 * even if the worker leaves with this gateway. For the poll thread, which it holds up for some
 * seconds at most.
 */
final class GracefulLeave {
    private static final Logger LOG = LoggerFactory.getLogger(GracefulLeave.class);
    private static final Duration ANSWERS_WAIT = Duration.ofSeconds(1);
    private static final Duration LEAVE_WAIT = Duration.ofSeconds(3);
    private static final Duration POLL = Duration.ofMillis(50);

    private final Consumer<byte[], byte[]> consumer;
    private final RequestCommits commits;

    GracefulLeave(Consumer<byte[], byte[]> consumer, RequestCommits commits) {
        this.consumer = consumer;
        this.commits = commits;
    }

    /** Lets no answer begin, and waits a second for those that were. */
    static void finishAnswers(Collection<PartitionFeed> feeds) {
        var answers = feeds.stream().map(PartitionFeed::answers).toList();
        if (!OpenAnswers.finish(answers, ANSWERS_WAIT)) {
            LOG.atInfo()
                    .addKeyValue(
                            "partitions",
                            feeds.stream().map(feed -> feed.tenure().partition()).toList())
                    .log("Answers not acknowledged in time; they may be repeated");
        }
    }

    /**
     * Commits what is done, before the consumer is closed: one that is closed while its group is
     * rebalanced takes its partitions for lost and commits nothing.
     *
     * @param feeds that this gateway has; a view, which a rebalance meanwhile changes
     */
    void commit(Collection<PartitionFeed> feeds) {
        long deadline = System.nanoTime() + LEAVE_WAIT.toNanos();
        finishAnswers(feeds);
        try {
            while (!commits.last(List.copyOf(feeds))) {
                if (System.nanoTime() - deadline > 0) {
                    LOG.atInfo().log("The group is still rebalanced; requests may be redelivered");
                    return;
                }
                takePartInRebalance();
            }
        } catch (KafkaException e) {
            LOG.atInfo().setCause(e).log("Offsets not committed; requests may be redelivered");
        }
    }

    /** The records that it returns are not dispatched, so their offsets are not committed. */
    private void takePartInRebalance() {
        try {
            var _ = consumer.poll(POLL);
        } catch (WakeupException e) {
            // Woken for a task, which does not matter any more.
        }
    }
}
