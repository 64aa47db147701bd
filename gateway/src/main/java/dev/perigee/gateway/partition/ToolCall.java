package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.partition.CallTransitions.Transition;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.protocol.trace.TraceSpan;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request between its record and its one answer: what is known of it, and where it is, by {@link
 * CallTransitions}. For the owner's thread.
 */
final class ToolCall implements OpenArguments.Asker {
    private static final Logger LOG = LoggerFactory.getLogger(ToolCall.class);

    private final String team;
    private final String user;
    private final String share;
    private final String key;
    private final int bytes;
    private final TraceSpan span;
    private @Nullable TraceSpan sending;
    private RequestRead read;
    private Instant deadline;
    private OpenArguments.@Nullable Room room;
    private CallStage stage = CallStage.ARRIVED;
    private @Nullable String processId;
    private boolean resolved;
    private boolean cancelled;
    private int possibleRuns;
    private int earlierRuns;
    private long commandsEnd = Long.MAX_VALUE;
    private @Nullable OpenQuestion question;
    private Timers.@Nullable Entry timer;

    /**
     * @param group the consumer group that read it
     */
    ToolCall(RequestRead read, String group) {
        this.read = read;
        var request = read.request();
        this.bytes = request.payloadBytes();
        this.deadline = read.deadline();
        this.team = request.teamId();
        this.user = team + "/" + request.userId();
        this.share = read.method() == ToolMethod.CALL_RESPOND ? user + "/responses" : user;
        this.key = user + "/" + request.requestId();
        this.span = RequestSpans.process(read, group);
    }

    /** What was asked; without the arguments where they are not kept. */
    RequestRead read() {
        return read;
    }

    /** What the request's trace is to the worker and in the answer. */
    TraceSpan span() {
        return span;
    }

    /** When it is over, as far as is known here: progress moves it. */
    Instant deadline() {
        return deadline;
    }

    /** Its last question by which it can go on at another worker; null where it has none. */
    @Nullable OpenQuestion question() {
        return question;
    }

    void question(OpenQuestion next) {
        question = next;
    }

    /** How far it came by its questions. */
    CallFacts.Rounds rounds() {
        if (question == null) {
            return CallFacts.Rounds.NONE;
        }
        return question.isUnanswered() ? CallFacts.Rounds.ASKING : CallFacts.Rounds.ANSWERED;
    }

    /** True while its question is open, and no response may have counted. */
    boolean isAsking() {
        return rounds() == CallFacts.Rounds.ASKING;
    }

    /** True when its own deadline has passed, as its author gave it. */
    boolean isOver(Instant now) {
        return !read.deadline().isAfter(now);
    }

    /** When it is too late to send it: of one that asks when its question expires. */
    Instant sendBy() {
        return question != null && isAsking() ? question.held().expiresAt() : deadline;
    }

    /** The gateway's own answer as it is true of this call, which may have run. */
    OwnAnswer truly(OwnAnswer own, Instant now) {
        if (isAsking() && !sendBy().isAfter(now) && own.isOfTime()) {
            return OwnAnswer.INPUT_TIMEOUT;
        }
        if (question != null && own == OwnAnswer.CANCELLED) {
            return OwnAnswer.CANCELLED_ASKING;
        }
        return question != null || possibleRuns() > 0 ? own.afterPossibleRun(read.method()) : own;
    }

    /** How far progress and questions may move the deadline. */
    Instant lastDeadline() {
        var input = read.input();
        return input == null ? lastByProgress() : lastByProgress().plus(input);
    }

    private Instant lastByProgress() {
        var extension = read.extension();
        return extension == null ? deadline : read.deadline().plus(extension.most());
    }

    /** Its server reports progress. */
    void progressed(Instant now) {
        var extension = read.extension();
        if (extension != null) {
            var next = now.plus(extension.each());
            var last = lastByProgress();
            var bounded = next.isAfter(last) ? last : next;
            deadline = bounded.isAfter(deadline) ? bounded : deadline;
        }
    }

    long offset() {
        return read.origin().offset();
    }

    CallStage stage() {
        return stage;
    }

    /**
     * Takes a transition; the last one releases the arguments.
     *
     * @throws IllegalStateException when that does not begin where it is
     */
    void go(Transition transition) {
        if (transition.from() != stage) {
            throw new IllegalStateException(
                    "It is " + stage + ", and " + transition.from() + " is left");
        }
        if (transition.ran()) {
            possibleRuns++;
        }
        stage = transition.to();
        if (hasEnded()) {
            letGo();
        }
    }

    boolean hasEnded() {
        return stage == CallStage.ENDED;
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

    /** A worker said that it cancels it, and may be lost before it gives the result. */
    void cancelled() {
        cancelled = true;
    }

    /** True when it is to be sent to no worker any more. */
    boolean isCancelled() {
        return cancelled;
    }

    /** In how many sessions that are gone it may have run. */
    int possibleRuns() {
        return earlierRuns + possibleRuns;
    }

    /** In how many of them an earlier owner may have had it run, as far as is known now. */
    void ranBefore(int runs) {
        earlierRuns = Math.max(earlierRuns, runs);
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

    /** Its one answer is on its way. */
    void answering(TopicNames names) {
        if (span.isRecording()) {
            sending = RequestSpans.send(span, names.of(Topic.TOOL_RESULTS));
        }
    }

    /** Its one answer is public; says so where that is asked for. */
    void answered(@Nullable ErrorCode code, Instant at, Duration took) {
        if (sending != null) {
            sending.end(null, at);
        }
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

    /**
     * Whose turns it takes. Responses to questions have turns of their own: the calls that wait for
     * them may be as many as the user may have.
     */
    String share() {
        return share;
    }

    @Override
    public String team() {
        return team;
    }

    @Override
    public int bytes() {
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
        return bytes == 0 || read.request().payloadBytes() > 0;
    }
}
