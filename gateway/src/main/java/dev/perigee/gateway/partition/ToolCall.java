package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import org.jspecify.annotations.Nullable;

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
 * UNSURE: it may have been accepted by a session that is not attached now. The next attach tells.
 */
final class ToolCall {
    enum Stage {
        WAITING,
        SENDING,
        ACCEPTED,
        UNSURE,
        ENDED
    }

    private final RequestRead read;
    private Stage stage = Stage.WAITING;
    private @Nullable String processId;
    private boolean resolved;
    private long commandsEnd = Long.MAX_VALUE;
    private Timers.@Nullable Entry timer;

    ToolCall(RequestRead read) {
        this.read = read;
    }

    RequestRead read() {
        return read;
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

    /** Identity of the request, as its author sees it. */
    String key() {
        return user() + "/" + read.request().requestId();
    }

    /** Whose it is. */
    String user() {
        var request = read.request();
        return request.teamId() + "/" + request.userId();
    }

    /** What makes it large. */
    int bytes() {
        var arguments = read.request().arguments();
        return arguments == null ? 0 : arguments.bytes().length;
    }
}
