package dev.perigee.gateway.partition;

import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.RecordedHost;
import org.jspecify.annotations.Nullable;

/** Decides where a partition goes, from what is known of the workers now. Any thread. */
@FunctionalInterface
public interface HostChooser {
    /**
     * @param recorded the worker that had it last, null when none had
     * @param held until when gateways may have held the session there
     */
    HostDecision choose(int partition, @Nullable RecordedHost recorded, LastHeld held);
}
