package dev.perigee.gateway;

import dev.perigee.gateway.admin.Readiness;
import dev.perigee.gateway.inbound.BrokerClock;
import dev.perigee.gateway.inbound.PollLoop;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.outbound.Backlog;
import dev.perigee.gateway.outbound.TopicHealth;
import dev.perigee.gateway.partition.OwnerState;
import dev.perigee.gateway.partition.Partitions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Ready means: a member of the group, every partition served, every link up, a broker that answers
 * and takes what is written, topics that can be used and have as many partitions as the fleet began
 * with, a clock that is near the brokers'.
 */
final class GatewayReadiness implements Readiness {
    /** A write that takes longer is worth saying. */
    private static final Duration SLOW_WRITE = Duration.ofSeconds(5);

    private final PollLoop loop;
    private final Partitions partitions;
    private final WorkerLinks links;
    private final BrokerWatch broker;
    private final BrokerClock brokers;
    private final PartitionCountWatch counts;
    private final TopicHealth health;
    private final Map<String, Backlog> backlogs;
    private final InstantSource clock;

    /**
     * @param backlogs what is written, by what it is called for people
     */
    GatewayReadiness(
            PollLoop loop,
            Partitions partitions,
            WorkerLinks links,
            BrokerWatch broker,
            BrokerClock brokers,
            PartitionCountWatch counts,
            TopicHealth health,
            Map<String, Backlog> backlogs,
            InstantSource clock) {
        this.loop = loop;
        this.partitions = partitions;
        this.links = links;
        this.broker = broker;
        this.brokers = brokers;
        this.counts = counts;
        this.health = health;
        this.backlogs = Map.copyOf(backlogs);
        this.clock = clock;
    }

    @Override
    public List<Obstacle> obstacles() {
        var obstacles = new ArrayList<Obstacle>();
        broker(obstacles);
        var off = brokers.problem();
        if (off != null) {
            obstacles.add(new Obstacle("clock", off));
        }
        var changed = counts.problem();
        if (changed != null) {
            obstacles.add(new Obstacle("topics", changed + "."));
        }
        health.troubles()
                .forEach(
                        (topic, trouble) -> {
                            if (!topic.isOptional()) {
                                obstacles.add(new Obstacle("topics", trouble + "."));
                            }
                        });
        var unread = loop.problem();
        if (unread != null) {
            obstacles.add(new Obstacle("consumer", "Polling fails: " + unread));
        } else if (!loop.isMember()) {
            obstacles.add(new Obstacle("consumer", "The group has not assigned partitions yet."));
        }
        var problems = partitions.problems();
        partitions
                .states()
                .forEach(
                        (partition, state) -> {
                            if (state != OwnerState.SERVING) {
                                obstacles.add(
                                        new Obstacle(
                                                "partition-" + partition,
                                                problems.getOrDefault(
                                                        partition,
                                                        "It is "
                                                                + state.name()
                                                                        .toLowerCase(Locale.ROOT)
                                                                + ".")));
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

    private void broker(List<Obstacle> obstacles) {
        var away = broker.awaySince();
        if (away != null) {
            obstacles.add(new Obstacle("broker", "No broker answers since " + text(away) + "."));
        }
        backlogs.forEach(
                (what, backlog) -> {
                    var held = backlog.held();
                    var since = held.since();
                    if (since != null && since.plus(SLOW_WRITE).isBefore(clock.instant())) {
                        obstacles.add(
                                new Obstacle(
                                        "broker",
                                        "It has acknowledged no %s since %s, %d are held."
                                                .formatted(what, text(since), held.records())));
                    }
                });
    }

    private static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
