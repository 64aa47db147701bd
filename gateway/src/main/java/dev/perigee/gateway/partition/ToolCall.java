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

    private final RequestRead read;
    private final String user;
    private final String key;
    private final TraceSpan span;
    private Stage stage = Stage.WAITING;
    private @Nullable String processId;
    private boolean resolved;
    private int possibleRuns;
    private long commandsEnd = Long.MAX_VALUE;
    private Timers.@Nullable Entry timer;

    ToolCall(RequestRead read) {
        this.read = read;
        var request = read.request();
        this.user = request.teamId() + "/" + request.userId();
        this.key = user + "/" + request.requestId();
        this.span =
                TraceSpan.begin(
                                SPAN,
                                SpanKind.CONSUMER,
                                read.traceparent(),
                                read.origin() + "/" + read.appendedAt().toEpochMilli())
                        .with("perigee.request_id", request.requestId());
    }

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

    void stage(Stage next) {
        stage = next;
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

    /** What makes it large. */
    int bytes() {
        var arguments = read.request().arguments();
        return arguments == null ? 0 : arguments.bytes().length;
    }
}
