package dev.perigee.local.cli;

import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Events as one line for people. */
final class EventText {
    private EventText() {}

    /** The type without what all types begin with: {@code crashed}, {@code tools.updated}. */
    static String kind(Event event) {
        return kind(event.event());
    }

    static String kind(String type) {
        return type.replaceFirst("^mcp\\.(server\\.)?", "");
    }

    /** What happened, beyond its kind. */
    static String details(Event event) {
        return switch (event.body()) {
            case EventBody.StatusChanged it -> status(it);
            case EventBody.Started it ->
                    "%s, %d tools, after %d ms"
                            .formatted(it.transport(), it.toolCount(), it.spawnDurationMs());
            case EventBody.Crashed it -> crash(it);
            case EventBody.Restarted it -> restart(it);
            case EventBody.PermanentlyFailed it -> it.message();
            case EventBody.Dormant it -> "idle for " + seconds(it.idleDurationSeconds());
            case EventBody.Respawned it ->
                    "after %s of sleep, in %d ms"
                            .formatted(
                                    seconds(it.dormantDurationSeconds()), it.respawnDurationMs());
            case EventBody.Exited it -> "exit code 0 after " + seconds(it.uptimeSeconds());
            case EventBody.Stopped it -> it.reason();
            case EventBody.ToolsUpdated it ->
                    "%d tools, added %s, removed %s"
                            .formatted(it.toolCount(), it.added(), it.removed());
            default -> "";
        };
    }

    private static String status(EventBody.StatusChanged changed) {
        var text = new StringBuilder(changed.status().wireName());
        if (changed.previousStatus() != null) {
            text.append(", was ").append(changed.previousStatus().wireName());
        }
        if (changed.statusMessage() != null) {
            text.append(": ").append(changed.statusMessage());
        }
        return text.toString();
    }

    private static String crash(EventBody.Crashed crashed) {
        var end = end(crashed.exitCode(), crashed.signal());
        if (crashed.limit() != null) {
            end += " by limit " + crashed.limit();
        }
        return "%s after %s, crash %d, %s"
                .formatted(
                        end,
                        seconds(crashed.uptimeSeconds()),
                        crashed.crashCount(),
                        crashed.willRestart()
                                ? "restarts in " + crashed.restartDelayMs() + " ms"
                                : "is not restarted");
    }

    private static String end(@Nullable Integer exitCode, @Nullable String signal) {
        return signal == null ? "exit code " + exitCode : signal;
    }

    private static String restart(EventBody.Restarted restarted) {
        return restarted.attemptNumber() == 0
                ? "by command: " + restarted.restartReason()
                : "after crash %d, pid %d".formatted(restarted.attemptNumber(), restarted.newPid());
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.1f s", seconds);
    }
}
