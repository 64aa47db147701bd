package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody.Usage;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.worker.process.TreeMeter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Account of what one instance uses, published once a minute and when the instance leaves. Calls
 * are counted as they are answered, what processes use is taken from their meters at looks. Any
 * thread may call; nothing blocks for longer than the reading of a small file.
 *
 * <p>While a record is not acknowledged the next waits and takes up what comes meanwhile: an
 * instance holds one in its journal, and loses none.
 */
final class UsageAccount {
    private final Object lock = new Object();
    private final boolean kept;
    private final int slot;
    private final InstanceJournal journal;
    private final InstantSource clock;
    private final UsageSums sums = new UsageSums();

    /** Of the process that lives, and of those that ended since the last look. */
    private final List<TreeMeter> meters = new ArrayList<>();

    private boolean closed;
    private boolean removed;

    /**
     * An account without entries.
     *
     * @param kept false where usage is not published: nothing is counted
     * @param slot the second of the minute from which on the record of the one before is due
     */
    UsageAccount(boolean kept, int slot, InstanceJournal journal, InstantSource clock) {
        this.kept = kept;
        this.slot = slot;
        this.journal = journal;
        this.clock = clock;
    }

    int slot() {
        return slot;
    }

    /** A call is about to be answered with this; its parameters have so many bytes. */
    void answered(ToolResult result, long requestBytes) {
        var answer = result.result();
        called(
                result.outcome() != ToolOutcome.SUCCESS,
                requestBytes,
                answer == null ? 0 : answer.size());
    }

    /** A call is about to be answered. */
    void called(boolean error, long requestBytes, long responseBytes) {
        if (!kept) {
            return;
        }
        synchronized (lock) {
            sums.called(error, requestBytes, responseBytes, clock.instant());
            if (closed) {
                publishAll();
            }
        }
    }

    /** The meter of a process that is to be started; null where usage is not published. */
    @Nullable TreeMeter meter() {
        if (!kept) {
            return null;
        }
        synchronized (lock) {
            collect(clock.instant());
            meters.removeIf(TreeMeter::neverBegan);
            var meter = new TreeMeter();
            meters.add(meter);
            return meter;
        }
    }

    /** The meters of what lives now. */
    List<TreeMeter> live() {
        synchronized (lock) {
            return meters.stream().filter(TreeMeter::isLive).toList();
        }
    }

    /** Takes what meters show. */
    void collect(Instant now) {
        synchronized (lock) {
            for (var meter : List.copyOf(meters)) {
                boolean last = meter.isOver();
                var use = meter.take();
                sums.used(use, now.minusNanos(use.endedNanosAgo()));
                if (last) {
                    meters.remove(meter);
                }
            }
        }
    }

    /** Publishes what ended before this minute, unless the record before is still under way. */
    void publish(Instant now) {
        synchronized (lock) {
            var usage = closed ? null : sums.due(now);
            if (usage != null && journal.appendUsage(usage)) {
                sums.published();
            }
        }
    }

    /**
     * Publishes all that there is; calls that are answered later have records of their own.
     *
     * @param forGood whether the instance is removed: no record follows
     */
    void close(boolean forGood) {
        if (!kept) {
            return;
        }
        synchronized (lock) {
            collect(clock.instant());
            publishAll();
            closed = true;
            removed |= forGood;
        }
    }

    private void publishAll() {
        for (Usage usage : sums.takeAll(clock.instant())) {
            if (!removed && journal.reaches(EventType.USAGE)) {
                journal.append(usage, null, null);
            }
        }
    }
}
