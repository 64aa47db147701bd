package dev.perigee.gateway.partition;

import dev.perigee.protocol.link.Attach;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Deadline of the result of a request that a worker accepted: the request's own plus a margin, and
 * the last entry of the replay that an attach brings plus the same margin, whichever is later. So a
 * takeover after the deadline receives what the worker has journalled before it answers itself.
 * Bounded: a replay is finite, and one that stalls for the margin is not awaited. Pure, for one
 * thread.
 */
final class WorkerSilence {
    private final Duration margin;
    private final Map<String, Long> replayEnds = new HashMap<>();
    private Instant since = Instant.MIN;

    /**
     * @param margin positive
     */
    WorkerSilence(Duration margin) {
        this.margin = margin;
    }

    /** A session is attached: what its journals hold follows. */
    void attached(Attach.Result result, Instant now) {
        since = now;
        replayEnds.clear();
        for (var process : result.processes()) {
            if (process.firstRetainedSeq() < process.nextSeq()) {
                replayEnds.put(process.processId(), process.nextSeq());
            }
        }
    }

    /** An entry of a journal arrived. */
    void received(String processId, long seq, Instant now) {
        var end = replayEnds.get(processId);
        if (end == null) {
            return;
        }
        if (seq < end) {
            since = now;
        }
        if (seq >= end - 1) {
            replayEnds.remove(processId);
        }
    }

    /** False once everything that the attach announced has arrived. */
    boolean isReplaying() {
        return !replayEnds.isEmpty();
    }

    /** When the owner gives the answer, unless more of the replay arrives until then. */
    Instant until(Instant deadline) {
        return later(deadline, since).plus(margin);
    }

    /** When the owner gives the answer to a request that is in doubt, unless it attaches. */
    Instant untilAttached(Instant deadline, Instant now) {
        return later(deadline, now).plus(margin);
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
