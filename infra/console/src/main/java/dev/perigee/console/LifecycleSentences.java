package dev.perigee.console;

import dev.perigee.protocol.event.EventBody;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Lifecycle events as sentences. Pure. */
final class LifecycleSentences {
    private LifecycleSentences() {}

    /** Null for an event that is not about the process. */
    static @Nullable String detail(EventBody body) {
        return switch (body) {
            case EventBody.Started it ->
                    "in %s, %d tools".formatted(millis(it.spawnDurationMs()), it.toolCount());
            case EventBody.Crashed it -> crashed(it);
            case EventBody.Restarted it ->
                    "pid %s → %d, attempt %d: %s"
                            .formatted(
                                    it.oldPid() == null ? "?" : it.oldPid(),
                                    it.newPid(),
                                    it.attemptNumber(),
                                    it.restartReason());
            case EventBody.PermanentlyFailed it -> it.message();
            case EventBody.Dormant it -> "idle for " + seconds(it.idleDurationSeconds());
            case EventBody.Respawned it ->
                    "in %s, after %s without a process"
                            .formatted(
                                    millis(it.respawnDurationMs()),
                                    seconds(it.dormantDurationSeconds()));
            case EventBody.Exited it ->
                    "with code 0 after " + seconds(it.uptimeSeconds()) + ", unasked";
            case EventBody.Stopped it -> it.reason();
            case EventBody.ToolsUpdated it ->
                    "%d tools: %d added, %d removed"
                            .formatted(it.toolCount(), it.added().size(), it.removed().size());
            case EventBody.StatusChanged _,
                    EventBody.Logs _,
                    EventBody.LogRateLimitExceeded _,
                    EventBody.RequestLogs _,
                    EventBody.CallProgress _,
                    EventBody.CallLog _,
                    EventBody.CallInputRequired _,
                    EventBody.CallTask _,
                    EventBody.ResourceUpdated _,
                    EventBody.ListChanged _,
                    EventBody.Notification _,
                    EventBody.Subscriptions _,
                    EventBody.Authorization _,
                    EventBody.ToolsDiscovered _,
                    EventBody.Catalog _,
                    EventBody.Usage _ ->
                    null;
        };
    }

    private static String crashed(EventBody.Crashed it) {
        var end = it.signal() != null ? it.signal() : "exit code " + it.exitCode();
        var cause = it.limit() == null ? end : "limit " + it.limit();
        var delay = it.restartDelayMs();
        String next;
        if (!it.willRestart()) {
            next = "not restarted";
        } else if (delay == null || delay == 0) {
            next = "restarts at once";
        } else {
            next = "restarts in " + millis(delay);
        }
        var number = it.crashCount() == 0 ? "not counted" : "crash " + it.crashCount();
        return "%s after %s, %s, %s".formatted(cause, seconds(it.uptimeSeconds()), number, next);
    }

    private static String millis(long millis) {
        return millis < 1000 ? millis + " ms" : seconds(millis / 1000.0);
    }

    private static String seconds(double seconds) {
        if (seconds < 100) {
            return String.format(Locale.ROOT, "%.1f s", seconds);
        }
        return seconds < 6000
                ? Math.round(seconds / 60) + " min"
                : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
    }
}
