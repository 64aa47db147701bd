package dev.perigee.worker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.instance.AwakeLimits;
import dev.perigee.worker.instance.InstanceIdentity;
import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.instance.InstanceState;
import dev.perigee.worker.process.ServerUsage.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-12: the demand of a worker")
final class ServerDemandTest {
    private static final AwakeLimits LIMITS = new AwakeLimits(3, 4);

    private final List<InstanceSnapshot> instances = new ArrayList<>();

    private static Usage usage(long bytes) {
        return new Usage(1, bytes, 0, 0);
    }

    private void add(
            String team,
            String user,
            InstanceState state,
            @Nullable ServerStatus status,
            boolean dormant,
            int requests) {
        add(TransportType.STDIO, team, user, state, status, dormant, false, requests);
    }

    private void add(
            TransportType transport,
            String team,
            String user,
            InstanceState state,
            @Nullable ServerStatus status,
            boolean dormant,
            boolean stopped,
            int requests) {
        var id = "p-" + instances.size();
        instances.add(
                new InstanceSnapshot(
                        new InstanceIdentity(1, id, 7, "i-" + id, "n", "s", team, user),
                        transport,
                        "hash",
                        state,
                        status,
                        null,
                        null,
                        dormant,
                        stopped,
                        state == InstanceState.RUNNING ? 42L : null,
                        null,
                        "unknown",
                        null,
                        0,
                        0,
                        0,
                        requests,
                        null,
                        List.of(),
                        Set.of()));
    }

    @Test
    @DisplayName("has those that run, start, wait for a restart or are called")
    void hasWhatIsToRun() {
        add("t", "u1", InstanceState.RUNNING, ServerStatus.ONLINE, false, 0);
        add("t", "u1", InstanceState.STARTING, null, false, 0);
        add("t", "u2", InstanceState.FAILED, ServerStatus.CONNECTING, false, 0);
        add("t", "u2", InstanceState.TERMINATED, ServerStatus.ONLINE, true, 1);
        // None of these:
        add("t", "u3", InstanceState.TERMINATED, ServerStatus.ONLINE, true, 0);
        add("t", "u3", InstanceState.FAILED, ServerStatus.PERMANENTLY_FAILED, false, 0);
        add("t", "u3", InstanceState.FAILED, ServerStatus.ERROR, false, 0);
        add(
                TransportType.STDIO,
                "t",
                "u3",
                InstanceState.TERMINATED,
                ServerStatus.RESTARTING,
                false,
                true,
                0);
        add(
                TransportType.HTTP,
                "t",
                "u3",
                InstanceState.RUNNING,
                ServerStatus.ONLINE,
                false,
                false,
                1);

        assertThat(ServerDemand.of(instances, LIMITS, usage(100)))
                .isEqualTo(new ServerDemand(1, 4, 400));
    }

    @Test
    @DisplayName("is no more than the limits of users and teams: no further worker is for that")
    void isWithinLimits() {
        for (int i = 0; i < 100; i++) {
            add("t1", "greedy", InstanceState.STARTING, null, false, 0);
        }
        assertThat(ServerDemand.of(instances, LIMITS, usage(0)).wanted()).isEqualTo(3);
        add("t1", "u2", InstanceState.STARTING, null, false, 0);
        add("t1", "u3", InstanceState.STARTING, null, false, 0);
        assertThat(ServerDemand.of(instances, LIMITS, usage(0)).wanted()).isEqualTo(4);
        // The same user id in another team is another user.
        add("t2", "greedy", InstanceState.STARTING, null, false, 0);
        assertThat(ServerDemand.of(instances, LIMITS, usage(0)).wanted()).isEqualTo(5);
    }

    @Test
    @DisplayName("has servers that are awake and not measured yet, as much as a measured one")
    void hasWhatIsNotMeasured() {
        for (int i = 0; i < 3; i++) {
            add("t", "u1", InstanceState.RUNNING, ServerStatus.ONLINE, false, 0);
        }

        assertThat(ServerDemand.of(instances, LIMITS, usage(100)))
                .isEqualTo(new ServerDemand(3, 3, 300));
    }

    @Test
    @DisplayName("is what servers usually take where none is awake, and unknown without a measure")
    void isEstimated() {
        add("t", "u1", InstanceState.STARTING, null, false, 0);

        assertThat(ServerDemand.of(instances, LIMITS, usage(0)).wantedBytes())
                .isEqualTo(ServerDemand.USUAL_BYTES);
        assertThat(ServerDemand.of(instances, LIMITS, null).wantedBytes()).isNaN();
        add("t", "u1", InstanceState.RUNNING, ServerStatus.ONLINE, false, 0);
        assertThat(ServerDemand.of(instances, LIMITS, usage(0)))
                .isEqualTo(new ServerDemand(1, 2, 2 * ServerDemand.USUAL_BYTES));
        assertThat(ServerDemand.of(List.of(), LIMITS, usage(0)))
                .isEqualTo(new ServerDemand(0, 0, 0));
    }
}
