package dev.perigee.worker.session;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.worker.instance.InstanceHost;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Parts that all sessions of a worker share.
 *
 * @param clock the time of day
 * @param deadlines what ends sessions is by this clock, which nobody sets
 */
record SessionContext(
        SessionOptions options,
        InstanceHost instances,
        EventFrames frames,
        ByteBudget journals,
        SessionMetrics metrics,
        AcknowledgementSignal acknowledged,
        CallPermits permits,
        IdBudget requestIds,
        ByteBudget results,
        InstantSource clock,
        InstantSource deadlines) {

    /** Until when a connection holds its sessions, by the clock of deadlines. */
    Instant heldBy(LinkPeer peer) {
        var now = deadlines.instant(); // Before it is asked: a freeze between must not add to it.
        return now.plus(peer.holds());
    }
}
