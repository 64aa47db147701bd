package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The thread of a partition's owner")
final class PartitionOwnerTest {
    @AutoClose private final OwnedPartition partition = new OwnedPartition();

    @Test
    @DisplayName("ends when the group does not know of its tenure any more")
    void refused() {
        partition.begin(2);
        TestWaits.until("ended", () -> partition.state() == OwnerState.ENDED);
        assertThat(partition.stateNames()).isEmpty();
        assertThat(partition.worker.sessions).isEmpty();
    }

    @Test
    @DisplayName("claims again when something fails directly after a claim")
    void failsAfterItsClaim() {
        partition.failHosts(new IllegalStateException("a defect"));
        partition.begin();
        TestWaits.until(
                "stuck",
                () -> partition.partitions.problems().getOrDefault(0, "").contains("a defect"));

        partition.failHosts(null);

        partition.attach(1);
        assertThat(partition.stateNames().stream().filter("claim"::equals).count())
                .isGreaterThan(1);
        assertThat(partition.partitions.problems()).isEmpty();
    }

    @Test
    @DisplayName("goes on after a defect, which is counted")
    void survives() {
        var session = partition.serve();
        partition.worker.failLook(new IllegalStateException("a defect"));
        partition.partitions.workersChanged();
        TestWaits.until(
                "counted",
                () -> partition.count("perigee.gateway.failures", "where", "owner") == 1);

        partition.request(
                """
                {"request_id":"r-1","team_id":"t1","user_id":"alice","method":"tools/list"}""");

        TestWaits.until("sent", () -> session.calls.size() == 1);
    }

    @Test
    @DisplayName("leaves what was not answered to the next one")
    void leaves() {
        partition.offsets.ends("mcp.commands", 0, 1); // Waits for a server that is to come.
        partition.begin();
        partition.opened(1);
        partition.call("r-1");
        partition.settle();

        partition.revoke();

        assertThat(partition.answers("r-1")).isEmpty();
        assertThat(partition.commit()).hasValue(0);
    }
}
