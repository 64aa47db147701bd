package dev.perigee.console;

import dev.perigee.protocol.event.Heartbeat;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Facts of an instance from the newest heartbeat, without those that change with each heartbeat.
 */
record ProcessFacts(
        String state,
        boolean dormant,
        @Nullable Long pid,
        @Nullable Instant startedAt,
        int crashCount,
        long messageCount,
        long errorCount,
        int activeRequests,
        @Nullable Instant lastActivityAt,
        int toolCount) {

    static ProcessFacts of(Heartbeat.ProcessSummary summary, Instant at) {
        var uptime = Math.round(summary.uptimeSeconds());
        return new ProcessFacts(
                summary.state(),
                summary.dormant(),
                summary.pid(),
                summary.pid() == null
                        ? null
                        : at.minusSeconds(uptime).truncatedTo(ChronoUnit.SECONDS),
                summary.crashCount(),
                summary.messageCount(),
                summary.errorCount(),
                summary.activeRequests(),
                summary.lastActivityAt(),
                summary.toolNames().size());
    }

    /** The same, but for the start of the same process, which is known to a second only. */
    ProcessFacts after(@Nullable ProcessFacts before) {
        return before == null || pid == null || !pid.equals(before.pid)
                ? this
                : new ProcessFacts(
                        state,
                        dormant,
                        pid,
                        before.startedAt,
                        crashCount,
                        messageCount,
                        errorCount,
                        activeRequests,
                        lastActivityAt,
                        toolCount);
    }
}
