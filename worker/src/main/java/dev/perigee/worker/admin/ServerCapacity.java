package dev.perigee.worker.admin;

import dev.perigee.worker.instance.AwakeLimits;
import dev.perigee.worker.process.ServerUsage.Usage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Resources of a worker that its servers share.
 *
 * @param memoryBytes what all servers may have together; 0 is unlimited
 * @param awake limits on awake servers of one user and of one team
 * @param usage what the processes of servers take; any thread may ask, null where that is not known
 */
public record ServerCapacity(
        long memoryBytes, AwakeLimits awake, Supplier<@Nullable Usage> usage) {}
