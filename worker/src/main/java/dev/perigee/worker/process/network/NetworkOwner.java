package dev.perigee.worker.process.network;

/**
 * Whose networks have a share together, however many they are.
 *
 * @param teamId empty for the worker itself, as is the user
 */
public record NetworkOwner(String teamId, String userId) {
    /** The worker, for what it runs on its own account. */
    public static final NetworkOwner WORKER = new NetworkOwner("", "");
}
