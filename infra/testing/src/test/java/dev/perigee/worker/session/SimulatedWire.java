package dev.perigee.worker.session;

import dev.perigee.gateway.link.ClockReading;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a gateway to a worker: in order each way, held back while the way is cut, and
 * ended by each side alone.
 */
final class SimulatedWire implements LinkPeer {
    private static final long RETRANSMIT = 200;

    final SimulatedGateway gateway;
    final SimulatedWorker worker;
    final long generation;
    private final Deque<Runnable> toWorker = new ArrayDeque<>();
    private final Deque<Runnable> toGateway = new ArrayDeque<>();
    private boolean openAtGateway = true;
    private boolean openAtWorker = true;
    long pongAt;
    long heardAt;

    /** When the worker sent the last ping that was answered, by its clock. */
    long answeredMs;

    @Nullable ClockReading clock;

    SimulatedWire(SimulatedGateway gateway, SimulatedWorker worker, long generation) {
        this.gateway = gateway;
        this.worker = worker;
        this.generation = generation;
        this.pongAt = gateway.fleet.now();
        this.heardAt = gateway.fleet.now();
    }

    void toWorker(Runnable message) {
        if (openAtGateway) {
            toWorker.add(message);
            pump(toWorker, gateway, worker);
        }
    }

    void toGateway(Runnable message) {
        if (openAtWorker) {
            toGateway.add(message);
            pump(toGateway, worker, gateway);
        }
    }

    private void pump(Deque<Runnable> queue, SimulatedPart from, SimulatedPart to) {
        from.fleet.after(from.fleet.linkDelay(), () -> arrive(queue, from, to));
    }

    private void arrive(Deque<Runnable> queue, SimulatedPart from, SimulatedPart to) {
        boolean open = to == worker ? openAtWorker : openAtGateway;
        if (!open || queue.isEmpty()) {
            queue.clear();
        } else if (!from.fleet.isUp(from, to)) {
            from.fleet.after(RETRANSMIT, () -> arrive(queue, from, to));
        } else {
            to.turn(
                    () -> {
                        var message = queue.poll();
                        if (message != null && (to == worker ? openAtWorker : openAtGateway)) {
                            if (to == worker) {
                                heardAt = from.fleet.now();
                            }
                            message.run();
                        }
                    });
        }
    }

    /** The gateway ends it; the worker learns so if it can. */
    void closeAtGateway() {
        toWorker(() -> worker.closed(this));
        openAtGateway = false;
    }

    /** The worker ends it, or died. */
    void closeAtWorker() {
        toGateway(() -> gateway.closed(this));
        openAtWorker = false;
    }

    boolean isOpenAtGateway() {
        return openAtGateway;
    }

    @Override
    public String gatewayId() {
        return gateway.name();
    }

    @Override
    public boolean isOpen() {
        return openAtWorker;
    }

    @Override
    public Duration holds() {
        return Duration.ofMillis(answeredMs + SimulatedFleet.DEAD_AFTER - worker.clockMs());
    }

    @Override
    public @Nullable String stays() {
        return null;
    }

    @Override
    public void attached(long requestId, Object result) {}

    @Override
    public void tell(String method, Object params) {}

    @Override
    public int awaitRoom(int bytes) {
        return bytes;
    }

    @Override
    public void returnRoom(int reserved) {}

    @Override
    public boolean sendEvent(byte[] frame, int reserved) {
        return openAtWorker;
    }

    @Override
    public void flush() {}
}
