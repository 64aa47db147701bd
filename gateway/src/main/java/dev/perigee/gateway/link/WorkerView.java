package dev.perigee.gateway.link;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A worker as one gateway sees it.
 *
 * @param address the link's URL, as configured
 * @param workerId null until the worker was reached once
 * @param incarnation of the last hello; null until the worker was reached once
 * @param since when {@code state} began
 * @param goneSince when the last connection to it ended; null while there is one, and for a worker
 *     that was never reached
 * @param retention how long it keeps a detached session; null until the worker was reached once
 * @param draining whether it said that it is leaving
 * @param problem why the last attempt to reach it failed, for people; null when connected
 */
public record WorkerView(
        URI address,
        @Nullable String workerId,
        @Nullable String incarnation,
        LinkState state,
        Instant since,
        @Nullable Instant goneSince,
        @Nullable Duration retention,
        boolean draining,
        @Nullable String problem) {}
