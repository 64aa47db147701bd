package dev.perigee.gateway.placement;

import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Choice of the worker on which a partition's session is opened. The recorded host wins while it
 * lives, so that processes are found again; also when it drains, since it may still have the
 * session. Elsewhere only when no host is recorded, as after the worker confirmed the end of all
 * processes, or when they are surely dead: it answers as a new incarnation, which kills leftovers
 * before it listens, the link over which this gateway had the session has proved its death, or the
 * safety window has passed. So no process lives twice. A gateway that starts waits a moment for all
 * its workers, else the first to answer would get everything. Pure: ask again when a worker changes
 * or the wait is over.
 */
public final class HostChoice {
    /**
     * So long a new partition waits for workers that have not been heard of yet. On a busy machine
     * 2 s were too short, and all servers of a fleet began on the worker that was quicker.
     */
    private static final Duration FIRST_DIAL = Duration.ofSeconds(5);

    private final SafetyWindow window;
    private final Duration recheck;

    /**
     * @param recheck how long to wait at most where nothing but a worker's return helps
     */
    public HostChoice(SafetyWindow window, Duration recheck) {
        this.window = window;
        this.recheck = recheck;
    }

    /**
     * Decides.
     *
     * @param recorded the partition's last host; null when it never had one
     * @param held until when gateways may have held the session there
     */
    public HostDecision choose(
            int partition,
            @Nullable RecordedHost recorded,
            LastHeld held,
            List<WorkerView> workers,
            Instant now) {
        if (recorded == null) {
            var heardBy = held.byThis().plus(FIRST_DIAL);
            return now.isBefore(heardBy) && workers.stream().anyMatch(HostChoice::isUnheard)
                    ? new HostDecision.Wait(heardBy, "workers are dialled for the first time")
                    : anywhere(partition, workers, now);
        }
        var host = find(workers, recorded.workerId());
        if (host != null && isUsable(host, recorded)) {
            return new HostDecision.Place(recorded.workerId());
        }
        if (host != null && isProvedDead(host, recorded, held)) {
            return anywhere(partition, workers, now);
        }
        var safeAt = surelyDeadAt(host, held);
        if (now.isBefore(safeAt)) {
            return new HostDecision.Wait(
                    safeAt,
                    "worker "
                            + recorded.workerId()
                            + " had the partition and may run its processes until "
                            + safeAt);
        }
        return anywhere(partition, workers, now);
    }

    /** Nothing is known of it yet, not even that it cannot be reached. */
    private static boolean isUnheard(WorkerView worker) {
        return worker.state() == LinkState.CONNECTING && worker.problem() == null;
    }

    /** A host that recovers is waited for: its link says when there is no hope left. */
    private static boolean isUsable(WorkerView host, RecordedHost recorded) {
        return switch (host.state()) {
            case CONNECTED, RECOVERING ->
                    !host.isDraining() || recorded.incarnation().equals(host.incarnation());
            case CONNECTING, FAILED -> false;
        };
    }

    /**
     * Whether the process of the worker that had the partition is known to be dead. An incarnation
     * that is not the recorded one is a newer one when it is connected now, or when this gateway
     * had the session itself before it met it. Else another gateway may have met a newer one since.
     * Neither does this gateway's own proof say anything of a session that another one had: it may
     * be old, and by what refuses connections to this gateway only.
     */
    private static boolean isProvedDead(WorkerView host, RecordedHost recorded, LastHeld held) {
        return recorded.incarnation().equals(host.incarnation())
                ? host.dead() && held.byOthers() == null
                : host.state() == LinkState.CONNECTED || held.byOthers() == null;
    }

    private Instant surelyDeadAt(@Nullable WorkerView host, LastHeld held) {
        return host == null
                ? window.surelyDeadAt(held, null, null)
                : window.surelyDeadAt(held, host.goneSince(), host.retention());
    }

    private HostDecision anywhere(int partition, List<WorkerView> workers, Instant now) {
        var chosen = RendezvousPlacement.choose(partition, Weights.of(workers));
        return chosen != null
                ? new HostDecision.Place(chosen)
                : new HostDecision.Wait(now.plus(recheck), "no worker is reachable");
    }

    private static @Nullable WorkerView find(List<WorkerView> workers, String workerId) {
        for (var worker : workers) {
            if (workerId.equals(worker.workerId())) {
                return worker;
            }
        }
        return null;
    }
}
