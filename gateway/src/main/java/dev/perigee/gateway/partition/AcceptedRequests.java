package dev.perigee.gateway.partition;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests that worker sessions reported in the attach responses of this tenure, until each record
 * is consumed. A request that was acknowledged as answered stays so when the partition moves to
 * another session before its record is consumed; one that was running is known from the latest
 * response only. Pure, for one thread.
 */
final class AcceptedRequests {
    private final Map<RecordOrigin, Attach.Progress> accepted = new HashMap<>();
    private long session = -1;

    /**
     * A session is attached.
     *
     * @param topic of requests
     * @return whether it is the session that was attached before
     */
    boolean attached(Attach.Result result, String topic) {
        boolean same = result.createdEpoch() == session;
        session = result.createdEpoch();
        accepted.values().removeIf(progress -> progress != Attach.Progress.ACKED);
        for (var record : result.accepted()) {
            if (record.origin().topic().equals(topic)) {
                accepted.put(record.origin(), record.state());
            }
        }
        return same;
    }

    /** What is known of a request, once; null when no session knows it. */
    Attach.@Nullable Progress take(RecordOrigin origin) {
        return accepted.remove(origin);
    }

    /** Requests below this offset will not be read again. */
    void committed(long offset) {
        accepted.keySet().removeIf(origin -> origin.offset() < offset);
    }
}
