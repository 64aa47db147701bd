package dev.perigee.worker.session;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * Concurrency limits of requests on a worker.
 *
 * @param worker of all teams at once
 * @param team of one team at once
 * @param teamRate how often one of a team's is begun
 * @param openBytes of the arguments of all; null for an eighth of the heap
 */
public record CallLimits(int worker, int team, RateLimit teamRate, @Nullable Long openBytes) {

    /** The budget of {@link #openBytes}, a new one. */
    ByteBudget arguments() {
        return openBytes == null ? ByteBudget.ofHeap(8) : ByteBudget.of(openBytes);
    }
}
