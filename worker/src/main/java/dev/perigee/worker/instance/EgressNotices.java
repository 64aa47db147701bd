package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.LogLine;
import dev.perigee.worker.log.LevelInference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes what the egress policy refused one instance into its log: the first attempt at once, and
 * from then on one line in {@link #PAUSE} with the number of those between. Safe for use by any
 * thread.
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

    /** An attempt of this process was refused; the text has no secrets. */
    void refused(String processId, String what) {
        var now = clock.instant();
        var text = admitted(what, now);
        if (text != null) {
            var line = new LogLine(LevelInference.WARN, text, Map.of("process_id", processId), now);
            journal.append(new EventBody.Logs(List.of(line)), null, null);
        }
    }

    private synchronized @Nullable String admitted(String what, Instant now) {
        if (last != null && now.isBefore(last.plus(PAUSE))) {
            unwritten++;
            return null;
        }
        var more = unwritten == 0 ? "" : "; " + unwritten + " more attempts since the last line";
        last = now;
        unwritten = 0;
        return "Egress refused to " + what + more;
    }
}
