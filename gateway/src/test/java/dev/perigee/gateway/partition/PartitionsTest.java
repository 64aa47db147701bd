package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.PolledPartition;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.gateway.placement.Move;
import dev.perigee.gateway.placement.Move.Manner;
import dev.perigee.gateway.quarantine.Death;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The partitions of a gateway")
final class PartitionsTest {
    @Test
    @DisplayName("say what is open in them, where they are served and what they are doing")
    void shown() {
        try (var partition = new OwnedPartition()) {
            partition.installed("i-1");
            partition.hostNobody();
            partition.begin();
            TestWaits.until("placing", () -> partition.state() == OwnerState.PLACING);
            partition.call("r-1");
            partition.settle();
            var all = partition.partitions;
            assertThat(all.open(Topic.TOOL_REQUESTS)).isEqualTo(1);
            assertThat(all.open(Topic.COMMANDS)).isZero();
            assertThat(all.states()).containsOnlyKeys(0);
            assertThat(all.hosts()).isEmpty();
            assertThat(all.quarantined()).isZero();

            partition.revoke();

            assertThat(all.open(Topic.TOOL_REQUESTS)).isZero();
            assertThat(all.hosted()).isEmpty();
        }
    }

    @Test
    @DisplayName("take no word about one that is another gateway's")
    void others() {
        try (var partition = new OwnedPartition()) {
            partition.begin();
            var session = partition.opened(1);
            var stranger = new PolledPartition(7);
            partition.partitions.revoked(new Tenure(7, 1));
            partition.partitions.committed(stranger.feed(), 3);
            partition.partitions.records(stranger.feed(), Topic.COMMANDS, List.of(), 3);
            partition.partitions.move(
                    new Move(7, Manner.FORCED),
                    new Departure.Listener() {
                        @Override
                        public void stayed(int of, int processes, int requests) {
                            throw new AssertionError("It is not there");
                        }

                        @Override
                        public void served(int of) {
                            throw new AssertionError("It is not there");
                        }
                    });
            partition.settle();
            assertThat(session.asked).doesNotContain("committed mcp.tool-requests 3");
        }
    }

    @Test
    @DisplayName("TEN-10: free all that waits where deaths do not count any more")
    void quarantineIsOff() {
        try (var partition = new OwnedPartition(new StateSeal(null), 0)) {
            var id = partition.installed("i-1");
            var death =
                    new Death("w1", "w1/1", partition.now(), Duration.ofHours(1).toMillis(), false);
            partition.before(
                    partition
                            .stateTopic()
                            .suspicion(
                                    id,
                                    new Suspicion(
                                            List.of(death, death),
                                            false,
                                            true,
                                            false,
                                            false,
                                            null)));
            partition.serve();
            TestWaits.until("freed", () -> partition.stateNames().contains("-suspicion/" + id));
            assertThat(partition.partitions.quarantined()).isZero();
        }
    }
}
