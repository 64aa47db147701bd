package dev.perigee.gateway.partition;

import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.RecordedHost;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Decides where a partition goes, from what is known of the workers now. Any thread. */
@FunctionalInterface
public interface HostChooser {
    /**
     * @param recorded the worker that had it last, null when none had
     * @param ownedUntil the last moment at which a gateway may have held the session there
     */
    HostDecision choose(int partition, @Nullable RecordedHost recorded, Instant ownedUntil);
}
