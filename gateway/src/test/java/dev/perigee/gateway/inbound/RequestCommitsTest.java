package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The commits of requests")
final class RequestCommitsTest {
    private static final String TOPIC = "tool-requests";

    private final Rebalanced consumer = new Rebalanced();
    private final List<ConsumerGroupMetadata> transactions = new ArrayList<>();
    private long now;
    private final List<PartitionFeed> feeds = List.of(IdleFeed.of(2));

    @ParameterizedTest
    @CsvSource({"3, m-1, true", "0, m-1, true", "-1, m-1, false", "3, '', false", "-1, '', false"})
    @DisplayName(
            "OWN-05: are no transaction without member and generation, which coordinators accept")
    void areFenced(int generation, String member, boolean fenced) {
        assertThat(RequestCommits.isFenced(generation, member)).isEqualTo(fenced);
    }

    @Test
    @DisplayName("are a transaction while the group is rebalanced, in the member's name")
    void areTransactions() {
        var commits = commits((_, member) -> transactions.add(member));

        assertThat(commits.last(feeds)).isTrue();
        assertThat(transactions).containsExactly(consumer.groupMetadata());
        assertThat(consumer.taken).isEmpty();
    }

    @Test
    @DisplayName("wait for the group without the right to a transaction, for which they ask once")
    void withoutTransactions() {
        var commits =
                commits(
                        (_, member) -> {
                            transactions.add(member);
                            throw new TransactionalIdAuthorizationException("none");
                        });

        assertThat(commits.last(feeds)).isFalse();
        assertThat(commits.last(feeds)).isFalse();
        assertThat(transactions).hasSize(1);

        consumer.rebalanced = false;
        assertThat(commits.last(feeds)).isTrue();
        assertThat(consumer.taken).containsExactly(Map.entry(new TopicPartition(TOPIC, 2), 7L));
    }

    @Test
    @DisplayName("are transactions twice a second in a rebalance that lasts, the group's word none")
    void goOn() {
        var commits = commits((_, member) -> transactions.add(member));
        var feed = feeds.getFirst();
        for (long offset = 7; offset < 20; offset++) {
            feed.tracker(Topic.TOOL_REQUESTS).add(offset, 1);
        }

        for (long offset = 7; offset < 15; offset++) {
            feed.done(Topic.TOOL_REQUESTS, offset);
            now += RequestCommits.INTERVAL.toNanos();
            commits.ifDue();
        }
        assertThat(transactions).hasSize(4);
        assertThat(feed.isCommitted(7)).isTrue();

        consumer.rebalanced = false;
        feed.done(Topic.TOOL_REQUESTS, 15);
        now += RequestCommits.INTERVAL.toNanos();
        commits.ifDue();
        assertThat(consumer.taken).containsExactly(Map.entry(new TopicPartition(TOPIC, 2), 16L));
        assertThat(transactions).hasSize(4);
    }

    @Test
    @DisplayName("say in a rebalance once what does not change")
    void saysOnce() {
        var commits = commits((_, member) -> transactions.add(member));
        for (int i = 0; i < 8; i++) {
            now += RequestCommits.INTERVAL.toNanos();
            commits.ifDue();
        }
        assertThat(transactions).hasSize(1);
    }

    private RequestCommits commits(RebalanceCommit rebalanceCommit) {
        var feed = feeds.getFirst();
        feed.continueRequests(7, RequestProgress.none(7), 7);
        return new RequestCommits(consumer, TOPIC, feeds, new Nobody(), rebalanceCommit, () -> now);
    }

    /** A member whose group takes no offsets while it is rebalanced. */
    private static final class Rebalanced extends MockConsumer<byte[], byte[]> {
        private final List<Map.Entry<TopicPartition, Long>> taken = new ArrayList<>();
        private boolean rebalanced = true;

        Rebalanced() {
            super("earliest");
        }

        @Override
        public synchronized void commitSync(
                Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            if (rebalanced) {
                throw new RebalanceInProgressException("rebalanced");
            }
            offsets.forEach((at, offset) -> taken.add(Map.entry(at, offset.offset())));
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            try {
                commitSync(offsets, Duration.ZERO);
                callback.onComplete(offsets, null);
            } catch (RebalanceInProgressException e) {
                callback.onComplete(offsets, e);
            }
        }

        @Override
        @SuppressWarnings("removal") // There is no other way to make one.
        public ConsumerGroupMetadata groupMetadata() {
            return new ConsumerGroupMetadata("gateways", 3, "m-1", Optional.empty());
        }
    }

    /** Has no partitions. */
    private static final class Nobody implements PartitionHandler {
        @Override
        public void assigned(PartitionFeed feed) {}

        @Override
        public void revoked(Tenure tenure) {}

        @Override
        public void dropUnsent() {}

        @Override
        public void records(
                PartitionFeed feed,
                Topic topic,
                List<ConsumerRecord<byte[], byte[]>> records,
                long nextOffset) {}

        @Override
        public void committed(PartitionFeed feed, long offset) {}
    }
}
