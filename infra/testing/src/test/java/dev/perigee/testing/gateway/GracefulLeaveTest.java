package dev.perigee.testing.gateway;

import static dev.perigee.testing.gateway.Loops.bytes;
import static dev.perigee.testing.gateway.Loops.group;
import static dev.perigee.testing.gateway.Loops.loop;
import static dev.perigee.testing.gateway.Loops.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.inbound.PartitionFeed;
import dev.perigee.gateway.inbound.PartitionHandler;
import dev.perigee.gateway.inbound.ProgressCodec;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("A gateway that leaves its group")
final class GracefulLeaveTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration SOON = Duration.ofMillis(1);
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    @Test
    @DisplayName("OWN-18: commits what is on its way to the broker, and no more")
    void finishAnswers() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap())) {
            for (int i = 0; i < 3; i++) {
                test.backend.send(Topic.TOOL_REQUESTS, "t/u", bytes("r-" + i));
            }
            var handler = new AnswersLate();
            try (var loop = loop(test, PATIENCE, handler)) {
                loop.start();
                await().atMost(PATIENCE).until(() -> handler.begun.size() == 2);
            }
            assertThat(handler.refused).as("an answer that would begin now").isTrue();
            assertThat(handler.doneWhenRevoked).isTrue();

            var next = new Loops.FailsOnce();
            next.failures.set(1);
            try (var loop = loop(test, PATIENCE, next)) {
                loop.start();
                await().atMost(PATIENCE).until(() -> next.taken.contains("r-2"));
            }
            assertThat(next.taken).containsExactly("r-2");
        }
    }

    @Test
    @DisplayName(
            "OWN-02: commits what is done though the group is being rebalanced, before and as it does")
    void commitInRebalance() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var other = member(test);
                var admin =
                        Admin.create(
                                Map.<String, Object>of("bootstrap.servers", broker.bootstrap()))) {
            var handler = new AnswersLate();
            TopicPartition partition;
            try (var loop = loop(test, PATIENCE, handler)) {
                loop.start();
                other.subscribe(
                        List.of(test.names.of(Topic.COMMANDS), test.names.of(Topic.TOOL_REQUESTS)));
                await().atMost(PATIENCE)
                        .until(
                                () -> {
                                    other.poll(Duration.ofMillis(50));
                                    return !other.assignment().isEmpty()
                                            && handler.partition().isPresent();
                                });
                // It polls no more, so that the rebalance waits for it.
                loop.reassign();
                await().atMost(PATIENCE).until(() -> isRebalanced(admin, test));
                partition =
                        new TopicPartition(
                                test.names.of(Topic.TOOL_REQUESTS),
                                handler.partition().orElseThrow());
                for (int i = 0; i < 2; i++) {
                    test.backend.send(
                            new ProducerRecord<>(
                                    partition.topic(),
                                    partition.partition(),
                                    bytes("t/u"),
                                    bytes("r-" + i)));
                }
                await().atMost(PATIENCE).until(() -> handler.begun.size() == 2);
                await().atMost(PATIENCE).until(() -> committed(admin, test, partition) == 1);
                assertThat(isRebalanced(admin, test)).as("until it leaves").isTrue();
            }
            assertThat(isRebalanced(admin, test)).as("still").isTrue();
            assertThat(committed(admin, test, partition)).isEqualTo(2);
        }
    }

    /** -1 for nothing. */
    private static long committed(Admin admin, GatewayUnderTest test, TopicPartition partition)
            throws Exception {
        var committed =
                admin.listConsumerGroupOffsets(group(test))
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .get(partition);
        return committed == null ? -1 : committed.offset();
    }

    private static boolean isRebalanced(Admin admin, GatewayUnderTest test) throws Exception {
        var described =
                admin.describeConsumerGroups(List.of(group(test))).all().get().get(group(test));
        return described != null && described.groupState() == GroupState.PREPARING_REBALANCE;
    }

    /**
     * Answers the first two requests, of which the broker acknowledges the second only when the
     * loop is about to leave.
     */
    private static final class AnswersLate implements PartitionHandler {
        private final List<Long> begun = new CopyOnWriteArrayList<>();
        private volatile boolean refused;
        private volatile boolean done;
        private volatile boolean doneWhenRevoked;
        private final Set<Integer> assigned = ConcurrentHashMap.newKeySet();
        private final Set<Integer> revoked = ConcurrentHashMap.newKeySet();

        /** One that the loop has. */
        Optional<Integer> partition() {
            return assigned.stream().filter(one -> !revoked.contains(one)).findFirst();
        }

        @Override
        public void assigned(PartitionFeed feed) {
            assigned.add(feed.tenure().partition());
            feed.continueRequests(0, ProgressCodec.decode("", 0), 0);
        }

        @Override
        public void revoked(Tenure tenure) {
            revoked.add(tenure.partition());
            doneWhenRevoked |= done;
        }

        @Override
        public void dropUnsent() {}

        @Override
        public void records(
                PartitionFeed feed,
                Topic topic,
                List<ConsumerRecord<byte[], byte[]>> records,
                long nextOffset) {
            for (var record : records) {
                if (begun.size() < 2 && feed.mayAnswer()) {
                    begun.add(record.offset());
                    if (begun.size() == 1) {
                        finish(feed, record.offset());
                    } else {
                        Thread.ofVirtual().start(() -> finishLate(feed, record.offset()));
                    }
                }
            }
        }

        private void finishLate(PartitionFeed feed, long offset) {
            await().atMost(PATIENCE)
                    .pollInterval(SOON) // A loop that leaves waits a second for its answers.
                    .until(
                            () -> {
                                refused = !feed.mayAnswer();
                                if (!refused) {
                                    feed.answered();
                                }
                                return refused;
                            });
            done = true;
            finish(feed, offset);
        }

        private static void finish(PartitionFeed feed, long offset) {
            feed.done(Topic.TOOL_REQUESTS, offset);
            feed.answered();
        }

        @Override
        public void committed(PartitionFeed feed, long offset) {}
    }
}
