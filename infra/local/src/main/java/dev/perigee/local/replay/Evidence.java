package dev.perigee.local.replay;

import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.tool.ToolResult;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects from one side's topics what became of some commands and requests, and how their
 * processes are. Of repeated results the first counts. For one thread.
 */
final class Evidence {
    private static final String REMOVED = "removed";

    private final Set<String> ids;
    private final @Nullable Instant until;
    private final Map<String, Fate> fates = new HashMap<>();
    private final Map<String, String> statuses = new HashMap<>();

    /**
     * @param ids of the commands and requests
     * @param until statuses from this time on do not count; null counts all
     */
    Evidence(Set<String> ids, @Nullable Instant until) {
        this.ids = Set.copyOf(ids);
        this.until = until;
    }

    /** How many have no result yet. */
    int open() {
        return ids.size() - fates.size();
    }

    Fate fate(String id) {
        return fates.getOrDefault(id, Fate.UNKNOWN);
    }

    /** The latest status of a process, null when none is known. */
    @Nullable String status(String processId) {
        return statuses.get(processId);
    }

    void commandResult(byte @Nullable [] value) {
        try {
            var result = value == null ? null : Json.read(value, CommandResult.class);
            if (result != null
                    && result.outcome() != CommandOutcome.ACKNOWLEDGED
                    && ids.contains(result.commandId())) {
                fates.putIfAbsent(result.commandId(), fate(result));
            }
        } catch (InvalidRecordException e) {
            // Written by something newer or foreign: not ours to judge.
        }
    }

    private static Fate fate(CommandResult result) {
        var details = result.result();
        var error = result.error();
        return new Fate(
                result.processId(),
                lower(result.outcome()),
                details == null ? null : status(details),
                null,
                error == null ? null : error.code(),
                error != null ? error.message() : details == null ? null : remark(details));
    }

    private static @Nullable String status(CommandDetails details) {
        if (details.instances() != null) {
            return details.instances().size() + " instances";
        }
        return wireName(details.resultingStatus());
    }

    private static @Nullable String remark(CommandDetails details) {
        if (details.supersededBy() != null) {
            return "superseded";
        }
        return details.note() != null ? details.note() : details.statusMessage();
    }

    void toolResult(byte @Nullable [] value) {
        try {
            var result = value == null ? null : Json.read(value, ToolResult.class);
            if (result != null && ids.contains(result.requestId())) {
                var error = result.error();
                fates.putIfAbsent(
                        result.requestId(),
                        new Fate(
                                result.processId(),
                                lower(result.outcome()),
                                error == null ? null : wireName(error.serverStatus()),
                                null,
                                error == null ? null : lower(error.code()),
                                error == null ? null : error.message()));
            }
        } catch (InvalidRecordException e) {
            // As above.
        }
    }

    void status(String processId, byte @Nullable [] value, Instant recordTime) {
        if (until != null && !recordTime.isBefore(until)) {
            return;
        }
        try {
            if (value == null) {
                statuses.put(processId, REMOVED);
            } else if (Event.read(value).body() instanceof StatusChanged changed) {
                statuses.put(processId, changed.status().wireName());
            }
        } catch (InvalidRecordException e) {
            // As above.
        }
    }

    /** Whether a process is on its way to another status. */
    boolean isMoving(String processId) {
        var status = statuses.get(processId);
        return status != null
                && !status.equals(REMOVED)
                && ServerStatus.valueOf(status.toUpperCase(Locale.ROOT)).isTransitional();
    }

    private static @Nullable String wireName(@Nullable ServerStatus status) {
        return status == null ? null : status.wireName();
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
