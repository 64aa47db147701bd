package dev.perigee.gateway;

import dev.perigee.gateway.inbound.Reach;
import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.SteadyTime;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.Hosted;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the group to assign anew when this gateway misses the worker of a partition, so that one
 * that hears it gets the partition, and again when the worker is back. It remembers what it missed,
 * or it would get that again. One virtual thread.
 */
final class ReachWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReachWatch.class);
    private static final Duration PERIOD = Duration.ofMillis(500);

    /**
     * A link that comes back by itself is waited for so long. By then no other gateway hears a
     * worker that is gone for all, see {@link WorkerLinks#heard}.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final WorkerLinks links;
    private final Supplier<List<Hosted>> hosted;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = Thread.ofVirtual().name("watch-reach").unstarted(this::watch);
    private volatile Runnable reassign = () -> {};
    private volatile Map<Integer, String> misses = Map.of();

    /**
     * @param hosted where this gateway's partitions are served
     */
    ReachWatch(WorkerLinks links, Supplier<List<Hosted>> hosted) {
        this.links = links;
        this.hosted = hosted;
    }

    void start(Runnable onChange) {
        reassign = onChange;
        thread.start();
    }

    /** What is told to the group now; any thread. */
    Reach reach() {
        return new Reach(links.heard(), misses);
    }

    private void watch() {
        try {
            while (!closed.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        var workers = new HashMap<String, WorkerView>();
        for (var worker : links.workers()) {
            var id = worker.workerId();
            if (id != null) {
                workers.put(id, worker);
            }
        }
        var next = new TreeMap<>(misses);
        next.values().removeIf(id -> isBack(workers.get(id)));
        for (var each : hosted.get()) {
            var id = each.workerId();
            if (id != null && isMissed(workers.get(id))) {
                next.put(each.partition(), id);
            } else if (id != null && isBack(workers.get(id))) {
                next.remove(each.partition());
            }
        }
        if (!next.equals(misses)) {
            misses = Map.copyOf(next);
            LOG.atInfo()
                    .addKeyValue("misses", next.toString())
                    .log("Asking the group whether another gateway reaches the workers of these");
            reassign.run();
        }
    }

    /** Connected, or not one of the fleet's any more. */
    private static boolean isBack(@Nullable WorkerView worker) {
        return worker == null || worker.state() == LinkState.CONNECTED;
    }

    private static boolean isMissed(@Nullable WorkerView worker) {
        var since = worker == null ? null : worker.goneSince();
        return worker != null
                && since != null
                && worker.state() == LinkState.RECOVERING
                && since.plus(PATIENCE).isBefore(SteadyTime.now());
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
