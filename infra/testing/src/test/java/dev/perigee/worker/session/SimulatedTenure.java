package dev.perigee.worker.session;

import dev.perigee.gateway.inbound.TenureLease;
import dev.perigee.gateway.partition.SimulatedOwner;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.RecordedHost;
import org.jspecify.annotations.Nullable;

/** A time of ownership of the partition by one gateway. */
final class SimulatedTenure {
    final long number;
    final TenureLease lease;
    final SimulatedOwner owner;
    long epoch;
    @Nullable RecordedHost host;

    /** Host that is being recorded; nothing else is decided until the write is durable. */
    @Nullable RecordedHost recording;

    @Nullable SimulatedSession session;
    long pausedUntil;
    long confirmed;

    SimulatedTenure(long number, TenureLease lease, LastHeld held) {
        this.number = number;
        this.lease = lease;
        this.owner = new SimulatedOwner(held);
    }
}
