package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.LogLine;
import dev.perigee.worker.log.LevelInference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Log lines about what the egress policy refused one instance: one for the first attempt, then at
 * most one in each {@link #PAUSE}, with the number of attempts between. Safe for use by any thread.
 */
final class EgressNotices {
    static final Duration PAUSE = Duration.ofMinutes(1);

    private final InstanceJournal journal;
    private final InstantSource clock;
    private @Nullable Instant last;
    private long unwritten;

    EgressNotices(InstanceJournal journal, InstantSource clock) {
        this.journal = journal;
        this.clock = clock;
    }

    /**
     * An attempt of this process was refused.
     *
     * @param what for people, without secrets; made only for a line that is written, since attempts
     *     come as often as a program likes
     */
    void refused(String processId, Supplier<String> what) {
        var now = clock.instant();
        var more = admitted(now);
        if (more != null) {
            var text = "Egress refused to " + what.get() + more;
            var line = new LogLine(LevelInference.WARN, text, Map.of("process_id", processId), now);
            journal.append(new EventBody.Logs(List.of(line)), null, null);
        }
    }

    /** What a line that is written ends in; null when none is. */
    private synchronized @Nullable String admitted(Instant now) {
        if (last != null && now.isBefore(last.plus(PAUSE))) {
            unwritten++;
            return null;
        }
        var more = unwritten == 0 ? "" : "; " + unwritten + " more attempts since the last line";
        last = now;
        unwritten = 0;
        return more;
    }
}
