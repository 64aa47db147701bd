package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.protocol.trace.TraceSpan;
import io.opentelemetry.api.trace.SpanKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request between its record and its one answer. For the owner's thread.
 *
 * <pre>
 *   WAITING ──▶ SENDING ──▶ ACCEPTED ──▶ ENDED
 *      ▲  │        │ │          │          ▲
 *      │  └────────┼─┼──────────┼──────────┤ answered by the gateway, or by an event
 *      └───────────┘ └▶ UNSURE ◀┘          │
 *      never ran          └────────────────┘
 * </pre>
 *
 * UNSURE: it may have been accepted by a session that is not attached now, by this owner's sending
 * or by an earlier one's. The next attach tells.
 */
final class ToolCall {
    enum Stage {
        WAITING,
        SENDING,
        ACCEPTED,
        UNSURE,
        ENDED
    }

    private static final Logger LOG = LoggerFactory.getLogger(ToolCall.class);
    private static final String SPAN = "perigee.request";

    private final String team;
    private final String user;
    private final String key;
    private final int bytes;
    private final TraceSpan span;
    private RequestRead read;
    private OpenArguments.@Nullable Room room;
    private Stage stage = Stage.WAITING;
    private @Nullable String processId;
    private boolean resolved;
    private int possibleRuns;
    private long commandsEnd = Long.MAX_VALUE;
    private Timers.@Nullable Entry timer;

    ToolCall(RequestRead read) {
        this.read = read;
        var request = read.request();
        var arguments = request.arguments();
        this.bytes = arguments == null ? 0 : arguments.size();
        this.team = request.teamId();
        this.user = team + "/" + request.userId();
        this.key = user + "/" + request.requestId();
        this.span =
                TraceSpan.begin(
                                SPAN,
                                SpanKind.CONSUMER,
                                read.traceparent(),
                                read.origin() + "/" + read.appendedAt().toEpochMilli())
                        .with("perigee.request_id", request.requestId());
    }

    /** What was asked; without the arguments where they are not kept. */
    RequestRead read() {
        return read;
    }

    /** What the request's trace is to the worker and in the answer. */
    TraceSpan span() {
        return span;
    }

    long offset() {
        return read.origin().offset();
    }

    Stage stage() {
        return stage;
    }

    /** Its end lets go of the arguments. */
    void stage(Stage next) {
        stage = next;
        if (next == Stage.ENDED) {
            letGo();
        }
    }

    boolean hasEnded() {
        return stage == Stage.ENDED;
    }

    /** True when it is known where to send it. */
    boolean isResolved() {
        return resolved;
    }

    /** Null for requests about all of the user's servers. */
    @Nullable String processId() {
        return processId;
    }

    void resolve(@Nullable String forProcess) {
        processId = forProcess;
        resolved = true;
    }

    /** In how many sessions that are gone it may have run. */
    int possibleRuns() {
        return possibleRuns;
    }

    void addPossibleRuns(int more) {
        possibleRuns += more;
    }

    /** While its server is unknown: where commands ended when it came. */
    long commandsEnd() {
        return commandsEnd;
    }

    void commandsEnd(long offset) {
        commandsEnd = offset;
    }

    /** Puts the one thing that this call waits for in time in place of the one before. */
    void timer(Timers.@Nullable Entry next) {
        if (timer != null) {
            timer.cancel();
        }
        timer = next;
    }

    /** Its one answer is public; says so where that is asked for. */
    void answered(@Nullable ErrorCode code, Instant at, Duration took) {
        span.end(code == null ? null : code.name().toLowerCase(Locale.ROOT), at);
        LOG.atDebug()
                .addKeyValue(LogContext.PROCESS_ID, processId)
                .addKeyValue(LogContext.REQUEST_ID, read.request().requestId())
                .addKeyValue(LogContext.TRACE_ID, span.traceId())
                .addKeyValue("code", code)
                .addKeyValue("took_ms", took.toMillis())
                .log("Request answered");
    }

    /** Identity of the request, as its author sees it. */
    String key() {
        return key;
    }

    /** Whose it is. */
    String user() {
        return user;
    }

    /** Who shares its team's part of what there is. */
    String team() {
        return team;
    }

    /** Size of the arguments, kept or not. */
    int bytes() {
        return bytes;
    }

    /** Its arguments are kept in this room, or not at all where there is none. */
    void keep(OpenArguments.@Nullable Room taken) {
        if (room != null) {
            throw new IllegalStateException("its arguments have their room");
        }
        room = taken;
        if (taken == null) {
            letGo();
        }
    }

    /** Lets go of the arguments and gives their room back. */
    void letGo() {
        read = read.withoutArguments();
        if (room != null) {
            room.giveBack();
            room = null;
        }
    }

    /** False when its arguments were not kept, so that it cannot be sent. */
    boolean isComplete() {
        return bytes == 0 || read.request().arguments() != null;
    }
}
