package dev.perigee.gateway.partition;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.topic.NumberMap;
import dev.perigee.protocol.topic.OffsetRanges;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests that worker sessions reported in the attach responses of this tenure, until each record
 * is consumed. A request that was acknowledged as answered stays so when the partition moves to
 * another session before its record is consumed; one that was running is known from the latest
 * response only. All are of one partition of one topic. Pure, for one thread.
 */
final class AcceptedRequests {
    /** Of those that have no answer yet, by offset. */
    private final NumberMap<Attach.Progress> open = new NumberMap<>();

    private final OffsetRanges acked = new OffsetRanges();

    /** Of those, what was so in a session that is gone. */
    private final Set<Long> lost = new HashSet<>();

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
        open.clear();
        for (var record : result.accepted()) {
            if (record.origin().topic().equals(topic)) {
                add(record);
            }
        }
        return same;
    }

    private void add(Attach.AcceptedRecord record) {
        long first = record.origin().offset();
        if (record.state() == Attach.Progress.ACKED) {
            acked.add(first, record.lastOffset());
        } else {
            acked.remove(first);
            open.put(first, record.state());
        }
    }

    /** What is known of a request, once; null when no session knows it. */
    Attach.@Nullable Progress take(RecordOrigin origin) {
        return acked.remove(origin.offset()) ? Attach.Progress.ACKED : open.remove(origin.offset());
    }

    /** Whether a request whose record was not consumed ran in a session that is gone. */
    boolean wasOpen(long offset) {
        return lost.contains(offset);
    }

    /** No session is attached any more: what was running is not known from now on. */
    void detached() {
        open.forEach((offset, _) -> lost.add(offset));
        open.clear();
    }

    /** Requests below this offset will not be read again. */
    void committed(long offset) {
        open.removeBelow(offset);
        lost.removeIf(each -> each < offset);
        acked.removeBelow(offset);
    }
}
