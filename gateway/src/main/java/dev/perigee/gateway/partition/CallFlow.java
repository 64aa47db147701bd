package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.partition.ToolCall.Stage;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one partition, from their record to their one answer. For the owner's thread; the
 * calls over the link wait on threads of their own.
 *
 * <p>An accepted request is the worker's: it times it out and its result comes as an event. The
 * gateway answers what no worker accepted, and, past the deadline and a margin, what the worker is
 * silent about. An event about a request that was answered so, or that is committed, is
 * acknowledged and not published, so that no request has two different answers, whichever gateway
 * gave the first.
 */
final class CallFlow {
    private final PartitionContext context;
    private final Answers answers;
    private final CallSender sender;
    private final ServerWait serverWait;
    private final FairQueue queue;
    private final TreeMap<Long, ToolCall> open = new TreeMap<>();
    private final Map<String, ToolCall> byRequest = new HashMap<>();
    private final RecentRequests recent;
    private final AnsweredRequests answeredRequests = new AnsweredRequests();
    private final Map<RecordOrigin, Attach.Progress> accepted = new HashMap<>();
    private @Nullable Instant nextTurn;

    CallFlow(PartitionContext context, Answers answers, CommandsTaken commands) {
        this.context = context;
        this.answers = answers;
        this.sender = new CallSender(context, new Verdicts());
        this.serverWait = new ServerWait(context, commands);
        this.queue = new FairQueue(context.services().limits(), context.services().clock());
        this.recent =
                new RecentRequests(
                        context.services().clock(), context.services().times().requestMemory());
    }

    /** Whether commands were taken up to an offset. */
    interface CommandsTaken {
        boolean upTo(long offset);
    }

    /** A request that can be acted on. */
    void received(RequestRead read) {
        var call = new ToolCall(read);
        var progress = accepted.remove(read.origin());
        if (answeredRequests.takeBeforeRead(call.offset()) || progress == Attach.Progress.ACKED) {
            done(read.origin());
        } else if (read.method() == ToolMethod.CANCEL) {
            cancel(read);
        } else if (progress == null
                && (byRequest.containsKey(call.key()) || recent.contains(call.key()))) {
            context.services().metrics().duplicate("tool-requests");
            done(read.origin());
        } else {
            open.put(call.offset(), call);
            byRequest.put(call.key(), call);
            if (progress != null) {
                queue.adopt(call);
                awaitResult(call);
            } else if (!read.deadline().isAfter(now())) {
                answer(call, OwnAnswer.EXPIRED);
            } else {
                admit(call);
            }
        }
    }

    /** What is wanted of instances may have changed, or commands were taken. */
    void installed() {
        if (serverWait.isEmpty()) {
            return;
        }
        for (var call : serverWait.calls()) {
            route(call);
        }
    }

    /** Requests may be sent to the session that now serves. */
    void serving() {
        for (var call : open.values()) {
            if (call.stage() == Stage.WAITING && call.isResolved()) {
                queue.ready(call);
            }
        }
        dispatch();
    }

    /** What the worker accepted, told at each attach, before anything is sent. */
    void attached(Attach.Result result) {
        accepted.clear();
        var requests = context.services().names().of(Topic.TOOL_REQUESTS);
        for (var record : result.accepted()) {
            if (record.origin().topic().equals(requests)) {
                accepted.put(record.origin(), record.state());
            }
        }
        for (var call : List.copyOf(open.values())) {
            resume(call, accepted.remove(call.read().origin()), result.resumed());
        }
    }

    private void resume(ToolCall call, Attach.@Nullable Progress progress, boolean resumed) {
        switch (call.stage()) {
            case WAITING, UNSURE -> {
                if (progress == Attach.Progress.ACKED) {
                    end(call);
                    byRequest.remove(call.key());
                    done(call.read().origin());
                } else if (progress != null) {
                    awaitResult(call);
                } else if (call.stage() == Stage.UNSURE && resumed) {
                    call.stage(Stage.WAITING);
                } else if (call.stage() == Stage.UNSURE) {
                    answer(call, OwnAnswer.OUTCOME_UNKNOWN);
                }
            }
            case SENDING, ACCEPTED, ENDED -> {}
        }
    }

    /**
     * The session is gone for this owner.
     *
     * @param alive true when the worker may still have it: a higher epoch took it over
     */
    void sessionEnded(boolean alive) {
        for (var call : List.copyOf(open.values())) {
            if (call.stage() == Stage.ACCEPTED || call.stage() == Stage.UNSURE) {
                if (alive) {
                    call.stage(Stage.UNSURE);
                } else {
                    answer(call, OwnAnswer.OUTCOME_UNKNOWN);
                }
            }
        }
    }

    /** True while a worker runs something for a request, or may. */
    boolean hasCallsAtWorker() {
        return open.values().stream().anyMatch(call -> call.stage() != Stage.WAITING);
    }

    /**
     * A result arrived; {@code durable} runs on the owner's thread when the event may be
     * acknowledged.
     */
    void result(InstanceEvent event, long createdEpoch, Runnable durable) {
        var origin = event.origin();
        if (origin != null && answeredRequests.isFinal(origin.offset())) {
            durable.run();
            return;
        }
        var call = origin == null ? null : open.get(origin.offset());
        if (call != null) {
            end(call);
        } else if (origin != null && mayBeReadLater(origin.offset())) {
            answeredRequests.beforeRead(origin.offset());
        }
        answers.pass(
                event,
                createdEpoch,
                () -> {
                    durable.run();
                    if (call != null) {
                        answered(call, null);
                    }
                });
    }

    /** Requests below this offset were answered and will not come again. */
    void committed(long offset) {
        answeredRequests.committed(offset);
        accepted.keySet().removeIf(origin -> origin.offset() < offset);
    }

    private void admit(ToolCall call) {
        var refusal = queue.admit(call);
        if (refusal == null) {
            route(call);
        } else {
            answer(call, refusal);
        }
    }

    private void route(ToolCall call) {
        var path = call.read().path();
        if (path == null) {
            call.resolve(null);
            send(call);
            return;
        }
        switch (ServerLookup.find(call.read().request(), path, context.state())) {
            case ServerLookup.One(var processId) -> {
                serverWait.remove(call);
                call.resolve(processId);
                send(call);
            }
            case ServerLookup.Several() -> answer(call, OwnAnswer.SEVERAL_SERVERS);
            case ServerLookup.None() -> {
                if (serverWait.isOver(call)) {
                    answer(call, OwnAnswer.UNKNOWN_SERVER);
                } else if (!serverWait.contains(call)) {
                    serverWait.add(
                            call, () -> answer(call, OwnAnswer.UNKNOWN_SERVER), this::installed);
                }
            }
        }
    }

    /** When it is its turn. */
    private void send(ToolCall call) {
        call.stage(Stage.WAITING);
        queue.ready(call);
        dispatch();
        if (call.stage() == Stage.WAITING) {
            hold(call);
        }
    }

    private void hold(ToolCall call) {
        call.timer(context.timers().at(call.read().deadline(), () -> answer(call, late())));
    }

    private OwnAnswer late() {
        return context.serving() == null ? OwnAnswer.NO_WORKER : OwnAnswer.NO_TURN;
    }

    /** Sends what may be sent now. */
    private void dispatch() {
        var session = context.serving();
        if (session == null) {
            return;
        }
        for (var call = queue.next(); call != null; call = queue.next()) {
            call.timer(null);
            call.stage(Stage.SENDING);
            sender.send(call, session);
        }
        var due = queue.due();
        if (due != null && !due.equals(nextTurn)) {
            nextTurn = due;
            context.timers().at(due, this::dispatch);
        }
    }

    /** True when the worker does not know a server only because it was not given to it yet. */
    private boolean isBeingRestored(ToolCall call) {
        var session = context.serving();
        var processId = call.processId();
        return session != null && processId != null && session.restoring().contains(processId);
    }

    private void awaitResult(ToolCall call) {
        serverWait.remove(call);
        call.stage(Stage.ACCEPTED);
        call.timer(context.timers().at(silentAt(call), () -> answer(call, OwnAnswer.SILENT)));
    }

    /** When the worker will not be waited for any longer. */
    private Instant silentAt(ToolCall call) {
        return call.read().deadline().plus(context.services().times().silence());
    }

    private void cancel(RequestRead read) {
        var request = read.request();
        var call =
                byRequest.get(
                        request.teamId() + "/" + request.userId() + "/" + request.requestId());
        if (call != null && call.stage() == Stage.WAITING) {
            answer(call, OwnAnswer.CANCELLED);
            done(read.origin());
        } else {
            sender.cancel(read, () -> done(read.origin()));
        }
    }

    private void answer(ToolCall call, OwnAnswer own) {
        if (call.hasEnded()) {
            return;
        }
        var request = call.read().request();
        var result = ToolResult.refused(request, call.processId(), own.error(), now());
        end(call);
        answeredRequests.byGateway(call.offset());
        Quietly.run(() -> answers.decide(call, result, () -> answered(call, codeOf(result))));
    }

    private void answer(ToolCall call, ToolResult result) {
        if (call.hasEnded()) {
            return;
        }
        end(call);
        answeredRequests.byGateway(call.offset());
        answers.give(
                call.read().origin(),
                result,
                call.read().reply(),
                call.span().traceparent(),
                () -> answered(call, codeOf(result)));
    }

    private void end(ToolCall call) {
        call.timer(null);
        serverWait.remove(call);
        call.stage(Stage.ENDED);
        open.remove(call.offset());
        queue.ended(call);
        dispatch();
    }

    private void answered(ToolCall call, @Nullable ErrorCode code) {
        byRequest.remove(call.key());
        if (code != ErrorCode.OVERLOADED) { // Else it never ran, and its author is to try again.
            recent.add(call.key());
        }
        var took = Duration.between(call.read().appendedAt(), now());
        context.services().metrics().requestEnded(code, took);
        call.answered(code, took);
        done(call.read().origin());
    }

    private static @Nullable ErrorCode codeOf(ToolResult result) {
        var error = result.error();
        return error == null ? null : error.code();
    }

    /** Records come again after a change of owner, and their results may be faster. */
    private boolean mayBeReadLater(long offset) {
        return offset >= context.feed().settled(Topic.TOOL_REQUESTS);
    }

    private void done(RecordOrigin origin) {
        context.feed().done(Topic.TOOL_REQUESTS, origin.offset());
    }

    private Instant now() {
        return context.services().clock().instant();
    }

    /** What became of a call that was sent, told on the owner's thread. */
    private final class Verdicts implements CallSender.Verdict {
        @Override
        public void accepted(ToolCall call) {
            awaitResult(call);
        }

        @Override
        public void answered(ToolCall call, ToolResult result) {
            if (codeOf(result) == ErrorCode.UNKNOWN_SERVER && isBeingRestored(call)) {
                call.stage(Stage.WAITING);
                queue.aside(call);
                hold(call);
            } else {
                answer(call, result);
            }
        }

        @Override
        public void refused(ToolCall call, OwnAnswer own) {
            answer(call, own);
        }

        @Override
        public void notRun(ToolCall call) {
            send(call);
        }

        @Override
        public void unsure(ToolCall call, boolean sessionLost) {
            if (sessionLost) {
                answer(call, OwnAnswer.OUTCOME_UNKNOWN);
            } else {
                call.stage(Stage.UNSURE);
                call.timer(
                        context.timers()
                                .at(silentAt(call), () -> answer(call, OwnAnswer.OUTCOME_UNKNOWN)));
            }
        }
    }
}
