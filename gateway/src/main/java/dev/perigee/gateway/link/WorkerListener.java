package dev.perigee.gateway.link;

import dev.perigee.protocol.json.RawJson;

/**
 * Listener to workers as a whole, not to sessions. Called on threads of the links: return at once.
 */
public interface WorkerListener {
    /** A worker came, went, recovered, failed or drains: ask {@link WorkerLinks#workers}. */
    void changed();

    /**
     * A worker's heartbeat.
     *
     * @param heartbeat a {@link dev.perigee.protocol.event.Heartbeat}, as the worker wrote it
     */
    void heartbeat(String workerId, RawJson heartbeat);
}
