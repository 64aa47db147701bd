package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.HostDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Placement decision as an event of the owner. Pure, any thread.
 *
 * @param host the chosen process of a worker; null where none is
 * @param lookAgain when it looks again at the latest, where none is
 */
record Choice(OwnerEvent event, StateRecord.@Nullable Host host, Instant lookAgain) {
    private static final Duration NOT_THERE_RETRY = Duration.ofMillis(200);

    /** The chosen worker is not there. */
    static Choice notThere(Instant now) {
        return new Choice(OwnerEvent.NOT_THERE, null, now.plus(NOT_THERE_RETRY));
    }

    /**
     * @param recorded the partition's last host; null when it never had one
     */
    static Choice of(
            HostDecision decision,
            StateRecord.@Nullable Host recorded,
            List<WorkerView> workers,
            Instant now) {
        return switch (decision) {
            case HostDecision.Place(var workerId) -> {
                var worker = find(workers, workerId);
                var incarnation = worker == null ? null : worker.incarnation();
                if (incarnation == null) {
                    yield notThere(now);
                }
                var host = new StateRecord.Host(workerId, incarnation);
                boolean same = host.equals(recorded);
                yield new Choice(
                        same ? OwnerEvent.HOST_CHOSEN : OwnerEvent.OTHER_CHOSEN, host, now);
            }
            case HostDecision.Wait(var until, _) -> {
                var worker = recorded == null ? null : find(workers, recorded.workerId());
                boolean givenUp = worker != null && worker.state() == LinkState.FAILED;
                yield new Choice(
                        givenUp ? OwnerEvent.HOST_GIVEN_UP : OwnerEvent.NO_WORKER, null, until);
            }
        };
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
