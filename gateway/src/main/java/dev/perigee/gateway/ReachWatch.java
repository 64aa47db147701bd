package dev.perigee.gateway;

import dev.perigee.gateway.inbound.Reach;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.link.WorkerView;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the links four times a ping, has a {@link ReachTracker} decide, and asks the group for
 * an assignment when it says so. One virtual thread.
 */
final class ReachWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReachWatch.class);
    private static final Duration PROBATION = Duration.ofSeconds(30);
    private static final Duration MEMORY = Duration.ofSeconds(30);

    /** In pings; with it no other gateway counts a worker as heard that is silent for all. */
    private static final int PATIENCE = 3;

    private final WorkerLinks links;
    private final Supplier<Map<Integer, String>> hosts;
    private final ReachTracker tracker;
    private final PeriodicLook looks;
    private volatile Runnable reassign = () -> {};

    /**
     * @param hosts by partition of this gateway the worker that may run its processes
     * @param pingInterval of the links
     */
    ReachWatch(WorkerLinks links, Supplier<Map<Integer, String>> hosts, Duration pingInterval) {
        this.links = links;
        this.hosts = hosts;
        this.looks = new PeriodicLook("watch-reach", pingInterval.dividedBy(4), this::look);
        this.tracker = new ReachTracker(pingInterval.multipliedBy(PATIENCE), PROBATION, MEMORY);
    }

    /**
     * @param reassigning asks the group for an assignment
     */
    void start(Runnable reassigning) {
        reassign = reassigning;
        looks.start();
    }

    /** User data for the next join of the group; any thread. */
    Reach reach() {
        var heard = links.heard();
        synchronized (tracker) {
            return tracker.reach(heard);
        }
    }

    private void look() {
        if (decide()) {
            LOG.atInfo()
                    .addKeyValue("missed", reach().misses().toString())
                    .log("Workers missed by this gateway changed; asking for an assignment");
            reassign.run();
        }
    }

    private boolean decide() {
        var owned = hosts.get();
        var heard = links.heard();
        var known =
                links.workers().stream()
                        .map(WorkerView::workerId)
                        .filter(Objects::nonNull)
                        .collect(Collectors.toSet());
        synchronized (tracker) {
            return tracker.look(owned, heard, known, System.nanoTime());
        }
    }

    @Override
    public void close() {
        looks.close();
    }
}
