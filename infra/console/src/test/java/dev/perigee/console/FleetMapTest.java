package dev.perigee.console;

import static dev.perigee.console.ConsoleEvents.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.console.FleetView.GatewayView;
import dev.perigee.console.FleetView.PartitionView;
import dev.perigee.gateway.FleetSources;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.partition.OwnerState;
import dev.perigee.gateway.partition.Whereabouts;
import dev.perigee.protocol.link.SessionNotice;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class FleetMapTest {
    private final Board board = new Board(1 << 20, NOON);
    private final FleetMap map =
            new FleetMap(
                    new FleetSources(
                            "g1",
                            3,
                            List::of,
                            () -> List.of(link("w1", LinkState.RECOVERING)),
                            () -> Map.of(0, OwnerState.SERVING)));

    private static WorkerView link(String id, LinkState state) {
        return new WorkerView(
                URI.create("ws://10.0.0.1:7070/link"),
                id,
                "i",
                state,
                NOON,
                null,
                null,
                100,
                SessionNotice.Phase.SERVING,
                "cut",
                false);
    }

    private void claim(int partition, String gateway, String worker) {
        board.whereabouts(partition, 10 + partition, new Whereabouts.Claimed(gateway, NOON));
        board.whereabouts(partition, 20 + partition, new Whereabouts.Hosted(worker));
    }

    @Test
    void drawsWhoHasWhatAndWhere() {
        claim(0, "g1", "w1");
        claim(1, "g2", "w2");

        var view =
                map.draw(Map.of("g1", Set.of(0), "g2", Set.of(1), "g3", Set.of()), board.known());

        assertThat(view.partitions())
                .containsExactly(
                        new PartitionView(0, "g1", "g1", 10L, NOON, "w1", "serving"),
                        new PartitionView(1, "g2", "g2", 11L, NOON, "w2", null),
                        new PartitionView(2, null, null, null, null, null, null));
        assertThat(view.gateways())
                .containsExactly(
                        new GatewayView("g1", true, List.of(0)),
                        new GatewayView("g2", true, List.of(1)),
                        new GatewayView("g3", true, List.of()));
        assertThat(view.workers())
                .singleElement()
                .satisfies(
                        worker -> {
                            assertThat(worker.workerId()).isEqualTo("w1");
                            var link = Objects.requireNonNull(worker.link());
                            assertThat(link.state()).isEqualTo("recovering");
                            assertThat(link.address()).isEqualTo("10.0.0.1:7070");
                            assertThat(worker.facts()).isNull();
                        });
    }

    @Test
    void showsAGatewayThatLeftUntilItsPartitionsAreClaimedAnew() {
        claim(1, "gone", "w1");

        var view = map.draw(Map.of("g1", Set.of(0), "g2", Set.of(1)), board.known());

        assertThat(view.gateways()).contains(new GatewayView("gone", false, List.of()));
        assertThat(view.partitions().get(1).gatewayId()).isEqualTo("g2");
        assertThat(view.partitions().get(1).claimedBy()).isEqualTo("gone");
    }

    @Test
    void isSureOfItsOwnOnlyWhenTheGroupCannotBeAsked() {
        claim(1, "g2", "w1");

        var view = map.draw(null, board.known());

        assertThat(view.gateways())
                .containsExactly(
                        new GatewayView("g1", true, List.of(0)),
                        new GatewayView("g2", false, List.of()));
        assertThat(view.partitions().get(0).gatewayId()).isEqualTo("g1");
        assertThat(view.partitions().get(1).gatewayId()).isNull();
    }
}
