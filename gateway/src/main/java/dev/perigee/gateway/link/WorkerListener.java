package dev.perigee.gateway.link;

import dev.perigee.protocol.json.RawJson;

/** What a gateway hears of workers as a whole. Called on threads of the links: return at once. */
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
