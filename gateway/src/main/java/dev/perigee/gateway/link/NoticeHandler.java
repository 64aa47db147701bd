package dev.perigee.gateway.link;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice;

/** Takes what a worker says unasked; called on the connection's reader, in order. */
interface NoticeHandler {
    /**
     * An event of an instance.
     *
     * @param generation of the connection
     * @param creditBytes how much of the credit it takes
     */
    void event(long generation, SessionNotice.InstanceEvent event, int creditBytes);

    void fenced(SessionNotice.Fenced fenced);

    void ended(SessionNotice.Ended ended);

    void draining(SessionNotice.Draining draining);

    void heartbeat(RawJson heartbeat);
}
