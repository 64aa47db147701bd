package dev.perigee.worker.process;

/**
 * Tenant, whose servers count together where all servers of a worker share a resource: one user of
 * one team. A user of two teams is two.
 */
public record Tenant(String teamId, String userId) {

    /** The worker, for programs that it runs on its own account. No team has an empty id. */
    public static final Tenant WORKER = new Tenant("", "");
}
