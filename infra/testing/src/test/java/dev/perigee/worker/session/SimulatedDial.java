package dev.perigee.worker.session;

import dev.perigee.gateway.link.SimulatedLink;
import org.jspecify.annotations.Nullable;

/** A gateway's side of one worker: the link, and the connection that it has now. */
final class SimulatedDial {
    final SimulatedWorker worker;
    final SimulatedLink link;
    @Nullable SimulatedWire wire;
    boolean greeted;
    long dialledAt;
    boolean endedThere;
    long refusedSince = Long.MAX_VALUE;

    SimulatedDial(SimulatedWorker worker) {
        this.worker = worker;
        this.link = new SimulatedLink(worker.name());
    }
}
