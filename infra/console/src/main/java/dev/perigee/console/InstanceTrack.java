package dev.perigee.console;

import dev.perigee.console.Entry.Call;
import dev.perigee.console.Entry.Happening;
import dev.perigee.console.Entry.LogLine;
import dev.perigee.console.Entry.StatusPoint;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventOrigin;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The console's record of one instance. It is shown once its status is known: the topics are read
 * in parallel, and only the status topic says that an instance is still installed. Guarded by the
 * board's lock.
 */
final class InstanceTrack {
    private static final int MAX_LINES = 500;
    private static final int MAX_CALLS = 100;
    private static final int MAX_STATUSES = 100;
    private static final int MAX_HAPPENINGS = 100;

    private final String processId;
    final Ring<LogLine> logs;
    final Ring<Call> calls;
    final Ring<StatusPoint> statuses;
    final Ring<Happening> happenings;

    private long version;
    private int partition = -1;
    private @Nullable EventOrigin origin;
    private @Nullable StatusPoint status;
    private @Nullable String serverVersion;
    private @Nullable Long pid;
    private boolean dormant;
    private Instant processAt = Instant.EPOCH;
    private int crashes;
    private @Nullable Instant lastCrashAt;
    private @Nullable ProcessFacts facts;
    private Instant factsAt = Instant.EPOCH;

    InstanceTrack(String processId, Budget budget) {
        this.processId = processId;
        this.logs = new Ring<>(MAX_LINES, budget);
        this.calls = new Ring<>(MAX_CALLS, budget);
        this.statuses = new Ring<>(MAX_STATUSES, budget);
        this.happenings = new Ring<>(MAX_HAPPENINGS, budget);
    }

    String processId() {
        return processId;
    }

    long version() {
        return version;
    }

    void changed(long now) {
        version = now;
    }

    boolean isShown() {
        return status != null;
    }

    void status(EventOrigin from, int ofPartition, StatusChanged body) {
        var point =
                new StatusPoint(
                        from.timestamp(),
                        body.status().wireName(),
                        Text.cutOrNull(body.statusMessage(), Text.LINE),
                        Text.cut(from.workerId(), Text.NAME));
        boolean ofGateway = from.seq() == 0;
        if (body.serverVersion() != null || !ofGateway) {
            // A gateway, which tells of lost links, does not know the version.
            serverVersion = Text.cutOrNull(body.serverVersion(), Text.NAME);
        }
        origin = from;
        partition = ofPartition;
        status = point;
        statuses.add(point, version);
    }

    void happened(Happening happening, EventBody body) {
        happenings.add(happening, version);
        if (body instanceof EventBody.Crashed) {
            crashes++;
            lastCrashAt = happening.at();
        }
        if (happening.at().isBefore(processAt) || body instanceof EventBody.ToolsUpdated) {
            return;
        }
        processAt = happening.at();
        boolean runs =
                body instanceof EventBody.Started
                        || body instanceof EventBody.Restarted
                        || body instanceof EventBody.Respawned;
        pid = runs ? happening.pid() : null;
        dormant = body instanceof EventBody.Dormant;
    }

    /** Takes over what a heartbeat says; false when that is nothing new. */
    boolean heartbeat(ProcessFacts said, Instant at) {
        if (at.isBefore(factsAt)) {
            return false;
        }
        var before = facts;
        factsAt = at;
        facts = said.after(before);
        if (!at.isBefore(processAt)) {
            processAt = at;
            pid = said.pid();
            dormant = said.dormant();
        }
        return !facts.equals(before);
    }

    void clear() {
        logs.clear();
        calls.clear();
        statuses.clear();
        happenings.clear();
    }

    /** Null while it is not shown. */
    @Nullable InstanceView view() {
        var from = origin;
        var now = status;
        if (from == null || now == null) {
            return null;
        }
        var said = facts;
        return new InstanceView(
                processId,
                Text.cutOrNull(from.installationName(), Text.NAME),
                Text.cut(from.installationId(), Text.NAME),
                Text.cut(from.serverSlug(), Text.NAME),
                serverVersion,
                Text.cut(from.teamId(), Text.NAME),
                Text.cut(from.userId(), Text.NAME),
                now.workerId(),
                partition,
                now.status(),
                now.message(),
                now.at(),
                pid,
                dormant,
                crashes,
                lastCrashAt,
                said == null ? null : said.state(),
                said == null || pid == null || !pid.equals(said.pid()) ? null : said.startedAt(),
                said == null ? null : said.activeRequests(),
                said == null ? null : said.messageCount(),
                said == null ? null : said.errorCount(),
                said == null ? null : said.lastActivityAt(),
                said == null ? null : said.toolCount());
    }
}
