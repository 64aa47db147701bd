package dev.perigee.gateway.link;

import dev.perigee.protocol.link.SessionNotice;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A worker as one gateway sees it.
 *
 * @param address the link's URL, with the address that is dialled
 * @param workerId null until the worker was reached once
 * @param incarnation of the last hello; null until the worker was reached once
 * @param since when {@code state} began
 * @param goneSince when the last connection to it ended; null while there is one, and for a worker
 *     that was never reached
 * @param retention how long it keeps a detached session; null until the worker was reached once
 * @param capacity how much it takes in proportion to other workers
 * @param phase whether it takes sessions, as it said last
 * @param problem why the last attempt to reach it failed, for people; null when connected
 * @param dead whether the process of that incarnation is proved dead, and all it ran
 */
public record WorkerView(
        URI address,
        @Nullable String workerId,
        @Nullable String incarnation,
        LinkState state,
        Instant since,
        @Nullable Instant goneSince,
        @Nullable Duration retention,
        int capacity,
        SessionNotice.Phase phase,
        @Nullable String problem,
        boolean dead) {

    /** Whether it is leaving. */
    public boolean isDraining() {
        return phase != SessionNotice.Phase.SERVING;
    }

    /** Whether a session can be created there now. */
    public boolean takesSessions() {
        return workerId != null && state == LinkState.CONNECTED && !isDraining();
    }
}
