package dev.perigee.gateway.admin;

import java.util.List;

/**
 * Asked by {@code /health/ready} on each request: what keeps the gateway from serving. Answers from
 * memory; called on an HTTP thread.
 */
@FunctionalInterface
public interface Readiness {
    /** Everything that is not ready; empty when the gateway serves. */
    List<Obstacle> obstacles();

    /**
     * One thing that is not ready.
     *
     * @param part what is not ready, such as {@code consumer}, {@code partition-3}, {@code
     *     worker-1}
     * @param reason a sentence for people: what is missing
     */
    record Obstacle(String part, String reason) {}
}
