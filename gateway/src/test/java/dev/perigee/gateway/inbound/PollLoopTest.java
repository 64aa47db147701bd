package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Ends of tenures, as Kafka's consumer tells its listener of them. */
@DisplayName("A gateway whose partition goes")
final class PollLoopTest {
    private static final TopicNames NAMES = new TopicNames(TopicNames.DEFAULT_PREFIX);
    private static final Set<TopicPartition> PARTITION =
            Set.of(
                    new TopicPartition(NAMES.of(Topic.COMMANDS), 0),
                    new TopicPartition(NAMES.of(Topic.TOOL_REQUESTS), 0));

    private final Owner owner = new Owner();

    @Test
    @DisplayName("OWN-05 detaches from no worker where it was lost: it may have no other owner")
    void lost() throws Exception {
        assertThat(isSilentAfter(loop -> loop.onPartitionsLost(PARTITION))).isTrue();
        assertThat(owner.dropped).isCompleted();
    }

    @Test
    @DisplayName("hands it over where it was revoked")
    void revoked() throws Exception {
        assertThat(isSilentAfter(loop -> loop.onPartitionsRevoked(PARTITION))).isFalse();
        assertThat(owner.dropped).isNotCompleted();
    }

    private boolean isSilentAfter(Consumer<PollLoop> end) throws Exception {
        var consumer = new MockConsumer<byte[], byte[]>("earliest");
        PARTITION.forEach(each -> consumer.updateBeginningOffsets(Map.of(each, 0L)));
        try (var loop =
                new PollLoop(
                        consumer,
                        NAMES,
                        new FeedLimits(10, 1 << 20),
                        Duration.ofHours(1),
                        new Intake(ByteBudget.of(1 << 20)),
                        new Membership(),
                        owner,
                        (_, _) -> {})) {
            consumer.schedulePollTask(() -> consumer.rebalance(PARTITION));
            loop.start();
            owner.assigned.get(1, TimeUnit.MINUTES);
            consumer.schedulePollTask(() -> end.accept(loop));
            return owner.silent.get(1, TimeUnit.MINUTES);
        }
    }

    /** Leaves at once, as an owner does. */
    private static final class Owner implements PartitionHandler {
        final CompletableFuture<PartitionFeed> assigned = new CompletableFuture<>();
        final CompletableFuture<Boolean> silent = new CompletableFuture<>();
        final CompletableFuture<@Nullable Void> dropped = new CompletableFuture<>();

        @Override
        public void assigned(PartitionFeed feed) {
            assigned.complete(feed);
        }

        @Override
        public void revoked(Tenure tenure) {
            silent.complete(assigned.join().isSilenced());
        }

        @Override
        public void dropUnsent() {
            dropped.complete(null);
        }

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
