package dev.perigee.gateway.link;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice;
import java.util.Map;

/**
 * Dispatcher of one worker's notifications: to the session that each is about, or to the {@link
 * WorkerListener}.
 */
final class LinkNotices implements NoticeHandler {
    private final WorkerStanding standing;
    private final Map<Integer, PartitionSession> sessions;
    private final WorkerListener listener;

    /**
     * @param sessions the open ones, by partition; safe for use by any thread
     */
    LinkNotices(
            WorkerStanding standing,
            Map<Integer, PartitionSession> sessions,
            WorkerListener listener) {
        this.standing = standing;
        this.sessions = sessions;
        this.listener = listener;
    }

    @Override
    public void event(long generation, SessionNotice.InstanceEvent event, int creditBytes) {
        var session = sessions.get(event.partition());
        if (session != null) {
            session.event(generation, event, creditBytes);
        }
    }

    @Override
    public void fenced(SessionNotice.Fenced fenced) {
        var session = sessions.get(fenced.partition());
        if (session != null && session.claim().epoch() < fenced.epoch()) {
            session.fence(fenced.epoch());
        }
    }

    @Override
    public void ended(SessionNotice.Ended ended) {
        var session = sessions.get(ended.partition());
        if (session != null && session.claim().epoch() == ended.epoch()) {
            session.lose(LinkFailure.ENDED);
        }
    }

    @Override
    public void draining(SessionNotice.Draining draining) {
        standing.drains(draining);
        listener.changed();
    }

    @Override
    public void heartbeat(RawJson heartbeat) {
        var workerId = standing.workerId();
        if (workerId != null) {
            listener.heartbeat(workerId, heartbeat);
        }
    }
}
