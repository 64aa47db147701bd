package dev.perigee.gateway.placement;

import java.time.Instant;

/** Placement decision for a partition. */
public sealed interface HostDecision {
    /** Open the session there now. */
    record Place(String workerId) implements HostDecision {}

    /**
     * Not yet: ask again when a worker changes, at {@code until} at the latest.
     *
     * @param reason a sentence for people: what is waited for
     */
    record Wait(Instant until, String reason) implements HostDecision {}
}
