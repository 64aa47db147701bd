package dev.perigee.gateway.placement;

import org.jspecify.annotations.Nullable;

/**
 * Current placement of a partition of this gateway.
 *
 * @param workerId the worker that serves it; null while none does, or it is leaving
 * @param epoch of the claim under which it is served there
 */
public record Hosted(int partition, @Nullable String workerId, long epoch) {}
