package dev.perigee.gateway.link;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice;

/** Takes what a worker says unasked; called on the connection's reader, in order. */
interface NoticeHandler {
    void event(LinkConnection from, SessionNotice.InstanceEvent event, int creditBytes);

    void fenced(LinkConnection from, SessionNotice.Fenced fenced);

    void ended(LinkConnection from, SessionNotice.Ended ended);

    void draining(SessionNotice.Draining draining);

    void heartbeat(RawJson heartbeat);
}
