package dev.perigee.gateway.placement;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last moments at which gateways may have held a partition's session.
 *
 * @param byOthers the group gave the partition to this gateway then, so that it told no other one
 *     later that it has it; null once this gateway had the session itself, which ended theirs
 * @param byThis when it had the session last; when it gained the partition, before the first
 */
public record LastHeld(@Nullable Instant byOthers, Instant byThis) {

    /** The partition is this gateway's from then on, and was maybe another's until then. */
    public static LastHeld gained(Instant at) {
        return new LastHeld(at, at);
    }

    /** This gateway has the session. */
    public LastHeld byThisOnly() {
        return new LastHeld(null, byThis);
    }

    /** It had the session until then. */
    public LastHeld until(Instant at) {
        return new LastHeld(byOthers, at.isAfter(byThis) ? at : byThis);
    }
}
