package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.placement.Move;
import dev.perigee.gateway.placement.MovePlanner;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves partitions as the {@link MovePlanner} says: looks whenever something changed, and every
 * half second. One virtual thread.
 */
public final class Mover implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Mover.class);
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final String STUCK = "no other worker that takes sessions is connected";

    private final Partitions partitions;
    private final WorkerLinks links;
    private final MovePlanner planner;
    private final GatewayMetrics metrics;
    private final InstantSource clock;
    private final Semaphore changes = new Semaphore(0);
    private final ConcurrentLinkedQueue<Runnable> news = new ConcurrentLinkedQueue<>();
    private final Thread thread = Thread.ofVirtual().name("mover").unstarted(this::run);

    public Mover(
            Partitions partitions,
            WorkerLinks links,
            MovePlanner planner,
            GatewayMetrics metrics,
            InstantSource clock) {
        this.partitions = partitions;
        this.links = links;
        this.planner = planner;
        this.metrics = metrics;
        this.clock = clock;
    }

    public void start() {
        thread.start();
    }

    /** A worker came, went or changed; any thread. */
    public void workersChanged() {
        changes.release();
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                var _ = changes.tryAcquire(LOOK.toMillis(), TimeUnit.MILLISECONDS);
                changes.drainPermits();
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        try {
            for (var said = news.poll(); said != null; said = news.poll()) {
                said.run();
            }
            var workers = links.workers();
            for (var move : planner.next(workers, partitions.hosted(), clock.instant())) {
                begin(move);
            }
            for (var worker : workers) {
                var workerId = worker.workerId();
                if (workerId != null && MovePlanner.isStuck(worker, workers)) {
                    links.stays(workerId, STUCK);
                }
            }
        } catch (RuntimeException e) {
            metrics.failure(GatewayMetrics.Where.MOVER);
            LOG.atError().setCause(e).log("Cannot move partitions; retrying");
        }
    }

    private void begin(Move move) {
        LOG.atDebug()
                .addKeyValue("partition", move.partition())
                .addKeyValue("manner", move.manner())
                .log("Moving a partition off its worker");
        partitions.move(
                move,
                new Departure.Listener() {
                    @Override
                    public void stayed(int partition, int processes, int requests) {
                        news.add(
                                () ->
                                        planner.stayed(
                                                partition, processes, requests, clock.instant()));
                    }

                    @Override
                    public void served(int partition) {
                        metrics.moved(move.manner());
                        changes.release();
                    }
                });
    }
}
