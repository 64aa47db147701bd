package dev.perigee.worker.session;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A session as the gateway that opened it with one claim knows it. */
final class SimulatedSession {
    final long epoch;
    final SimulatedDial at;
    boolean everAttached;
    @Nullable SimulatedWire asked;
    @Nullable SimulatedWire attached;
    @Nullable Instant heldUntil;
    String name = "";
    long received;
    long published;

    SimulatedSession(long epoch, SimulatedDial at) {
        this.epoch = epoch;
        this.at = at;
    }
}
