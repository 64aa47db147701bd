package dev.perigee.testing.soak;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.PartHealth;
import dev.perigee.testing.fleet.Received;
import dev.perigee.testing.history.SteadyLoad;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;

/**
 * Waits until what a storm led to is over: every part says that it is well, every gateway is a
 * member of the group and has partitions, all requests are answered and committed, and the fleet is
 * in a {@link SteadyState}. For one thread.
 */
final class Calm implements AutoCloseable {
    private static final Duration SURPLUS = Duration.ofSeconds(60);
    private static final Duration SETTLES = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(100);

    private final FleetUnderTest fleet;
    private final SteadyLoad load;
    private final Shape shape;
    private final Runnable meanwhile;
    private final Admin admin;

    /**
     * @param meanwhile is run again and again while it waits
     */
    Calm(FleetUnderTest fleet, SteadyLoad load, Shape shape, Runnable meanwhile) {
        this.fleet = fleet;
        this.load = load;
        this.shape = shape;
        this.meanwhile = meanwhile;
        this.admin = Admin.create(Map.<String, Object>of("bootstrap.servers", fleet.bootstrap()));
    }

    /**
     * Waits for it; gives what did not come in time. Calls go on until every part is well, so that
     * they meet what comes back.
     */
    List<String> await() throws InterruptedException {
        long end =
                System.nanoTime()
                        + shape.times().takeover().multipliedBy(2).plus(SURPLUS).toNanos();
        try {
            var missing = obstacles();
            while (!missing.isEmpty() && System.nanoTime() - end < 0) {
                pause();
                missing = obstacles();
            }
            return missing.isEmpty() ? steady(end) : missing;
        } finally {
            load.goOn();
        }
    }

    private List<String> steady(long end) throws InterruptedException {
        load.pause();
        var unanswered = load.unanswered();
        if (!unanswered.isEmpty()) {
            return List.of("not answered in time: " + unanswered);
        }
        var missing = uncommitted();
        while (!missing.isEmpty() && System.nanoTime() - end < 0) {
            pause();
            missing = uncommitted();
        }
        do {
            missing = settled(answering());
        } while (!missing.isEmpty() && System.nanoTime() - end < 0);
        return missing;
    }

    /** The pid with which each server answers. */
    private Map<String, Long> answering() {
        var answering = new TreeMap<String, Long>();
        var pids = load.pidsAtLast();
        for (int server = 0; server < pids.size(); server++) {
            answering.put(load.servers().get(server).processId(), Long.valueOf(pids.get(server)));
        }
        return answering;
    }

    /** What the calls of a moment ago led to takes a while: their logs go out in batches. */
    private List<String> settled(Map<String, Long> answering) {
        long end = System.nanoTime() + SETTLES.toNanos();
        var missing = state(answering).violations();
        while (!missing.isEmpty() && System.nanoTime() - end < 0) {
            pause();
            missing = state(answering).violations();
        }
        return missing;
    }

    private List<String> obstacles() {
        return shape.parts().stream()
                .filter(name -> !name.equals(Shape.BROKER))
                .map(this::obstacle)
                .filter(obstacle -> !obstacle.isEmpty())
                .toList();
    }

    private String obstacle(String name) {
        var part = fleet.part(name);
        if (!part.isReady()) {
            return name + " does not run";
        }
        var health = PartHealth.of(part);
        return health.isReady() ? "" : name + ": " + health.body();
    }

    private List<String> uncommitted() throws InterruptedException {
        try {
            var ends = ends();
            return isShared() && isAnswered(ends)
                    ? List.of()
                    : List.of("not all gateways share, or not all is answered up to " + ends);
        } catch (ExecutionException e) {
            return List.of("the broker does not say how far requests have come: " + e);
        }
    }

    private SteadyState state(Map<String, Long> answering) {
        var statuses = new HashMap<String, String>();
        for (Received status : fleet.records().on(Topic.STATUS)) {
            statuses.put(status.key(), status.text("status"));
        }
        var held = new TreeMap<String, Double>();
        for (var name : shape.parts()) {
            if (!name.equals(Shape.BROKER)) {
                Held.in(PartHealth.metrics(fleet.part(name)))
                        .forEach((metric, much) -> held.put(name + " " + metric, much));
            }
        }
        return new SteadyState(answering, load.live().now(), statuses, held);
    }

    private Map<TopicPartition, Long> ends() throws InterruptedException, ExecutionException {
        var latest =
                IntStream.range(0, fleet.partitions())
                        .mapToObj(i -> new TopicPartition(fleet.names().of(Topic.TOOL_REQUESTS), i))
                        .collect(Collectors.toMap(it -> it, _ -> OffsetSpec.latest()));
        return admin.listOffsets(latest).all().get().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    }

    private boolean isShared() throws InterruptedException, ExecutionException {
        var group =
                Objects.requireNonNull(
                        admin.describeConsumerGroups(List.of(group())).all().get().get(group()));
        return group.groupState() == GroupState.STABLE
                && group.members().size() == shape.gateways()
                && group.members().stream()
                        .noneMatch(member -> member.assignment().topicPartitions().isEmpty());
    }

    private boolean isAnswered(Map<TopicPartition, Long> ends)
            throws InterruptedException, ExecutionException {
        var committed =
                admin.listConsumerGroupOffsets(group()).partitionsToOffsetAndMetadata().get();
        return ends.entrySet().stream()
                .allMatch(
                        end -> {
                            var offset = committed.get(end.getKey());
                            return offset != null && offset.offset() >= end.getValue();
                        });
    }

    private String group() {
        return fleet.names().prefix() + "gateway";
    }

    private void pause() {
        meanwhile.run();
        LockSupport.parkNanos(LOOK.toNanos());
    }

    @Override
    public void close() {
        admin.close();
    }
}
