package dev.perigee.gateway;

import dev.perigee.gateway.admin.Readiness;
import dev.perigee.gateway.inbound.PollLoop;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.partition.OwnerState;
import dev.perigee.gateway.partition.Partitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Ready means: a member of the group, every partition served, every link up. */
final class GatewayReadiness implements Readiness {
    private final PollLoop loop;
    private final Partitions partitions;
    private final WorkerLinks links;

    GatewayReadiness(PollLoop loop, Partitions partitions, WorkerLinks links) {
        this.loop = loop;
        this.partitions = partitions;
        this.links = links;
    }

    @Override
    public List<Obstacle> obstacles() {
        var obstacles = new ArrayList<Obstacle>();
        if (!loop.isMember()) {
            obstacles.add(new Obstacle("consumer", "The group has not assigned partitions yet."));
        }
        partitions
                .states()
                .forEach(
                        (partition, state) -> {
                            if (state != OwnerState.SERVING) {
                                obstacles.add(
                                        new Obstacle(
                                                "partition-" + partition,
                                                "It is "
                                                        + state.name().toLowerCase(Locale.ROOT)
                                                        + "."));
                            }
                        });
        for (var worker : links.workers()) {
            if (worker.state() != LinkState.CONNECTED) {
                var problem = worker.problem();
                obstacles.add(
                        new Obstacle(
                                worker.address().getAuthority(),
                                problem == null ? "The link is not up yet." : problem));
            }
        }
        return obstacles;
    }
}
