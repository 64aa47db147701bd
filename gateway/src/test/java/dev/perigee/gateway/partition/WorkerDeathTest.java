package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.protocol.link.SessionNotice.Phase;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("TEN-10: the end of a worker")
final class WorkerDeathTest {
    @AutoClose private final OwnedPartition partition = new OwnedPartition();
    private String instance = "";

    @BeforeEach
    void install() {
        instance = partition.installed("i-1");
    }

    @Test
    @DisplayName("counts against what ran there, and twice makes it wait for a trial")
    void counts() {
        var first = partition.serve();
        first.lose(LinkFailure.DEAD);
        TestWaits.until("counted", () -> partition.stateNames().contains("suspicion/" + instance));
        assertThat(partition.stateNames()).contains("suspect-user/t1/alice");
        assertThat(deaths()).isEqualTo(1);
        assertThat(partition.partitions.quarantined()).isZero();

        partition.worker.are(worker("w/2", Phase.SERVING));
        TestWaits.until(
                "opened again",
                () -> {
                    partition.later(Duration.ofSeconds(2));
                    return partition.worker.sessions.size() == 2;
                });
        partition.attach(2).lose(LinkFailure.INCARNATION_CHANGED);

        TestWaits.until("waits", () -> partition.partitions.quarantined() == 1);
        assertThat(deaths()).isEqualTo(2);
    }

    @Test
    @DisplayName("that it announced counts against nobody")
    void announced() {
        var session = partition.serve();
        partition.worker.are(worker(ScriptedWorker.INCARNATION, Phase.STOPPING));
        partition.partitions.workersChanged();

        session.lose(LinkFailure.DEAD);

        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        partition.settle();
        assertThat(deaths()).isZero();
    }

    @Test
    @DisplayName("is none where only the link to it is given up while it answers")
    void answers() {
        var session = partition.serve();
        session.lose(LinkFailure.UNREACHABLE);
        TestWaits.until("ended", () -> partition.state() == OwnerState.RESTORING);
        partition.settle();
        assertThat(deaths()).isZero();
    }

    @Test
    @DisplayName("is one where the link to it is given up and it does not answer")
    void silent() {
        var session = partition.serve();
        partition.worker.are(
                ScriptedWorker.view(
                        ScriptedWorker.ID,
                        ScriptedWorker.INCARNATION,
                        LinkState.FAILED,
                        Phase.SERVING));
        session.lose(LinkFailure.UNREACHABLE);
        TestWaits.until("counted", () -> deaths() == 1);
    }

    @Test
    @DisplayName("counts no more after its memory, and nobody is suspected any more")
    void forgotten() {
        var session = partition.serve();
        session.lose(LinkFailure.DEAD);
        TestWaits.until("counted", () -> partition.stateNames().contains("suspicion/" + instance));

        partition.later(OwnedPartition.DEATH_MEMORY);

        TestWaits.until(
                "forgotten", () -> partition.stateNames().contains("-suspicion/" + instance));
    }

    private double deaths() {
        return partition.metrics.get("perigee.gateway.deaths").counter().count();
    }

    private static WorkerView worker(String incarnation, Phase phase) {
        return ScriptedWorker.view(ScriptedWorker.ID, incarnation, LinkState.CONNECTED, phase);
    }
}
