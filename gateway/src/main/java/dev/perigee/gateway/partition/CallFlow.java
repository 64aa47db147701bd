package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.EarlierRuns;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.partition.ToolCall.Stage;
import dev.perigee.protocol.limit.RecentIds;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
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
    private final RecentIds recent;
    private final AnsweredRequests answeredRequests = new AnsweredRequests();
    private final AcceptedRequests accepted = new AcceptedRequests();
    private final Set<ToolCall> unreserved = new LinkedHashSet<>();
    private final WorkerSilence silence;
    private EarlierRuns earlier = EarlierRuns.none();
    private @Nullable Instant nextTurn;
    private int answering;

    CallFlow(PartitionContext context, Answers answers, ServerWait.CommandsTaken commands) {
        this.context = context;
        this.answers = answers;
        var verdicts = new CallVerdicts(this);
        this.sender = new CallSender(context, verdicts);
        this.serverWait = new ServerWait(context, commands, verdicts);
        this.queue =
                new FairQueue(
                        context.services().limits(),
                        context.services().arguments(),
                        context.services().clock());
        this.silence = new WorkerSilence(context.services().times().silence());
        this.recent =
                new RecentIds(
                        context.services().requestIds(),
                        context.services().times().requestMemory());
    }

    /** How far an owner before this tenure came; before any request. */
    void continuing(EarlierRuns earlierRuns) {
        earlier = earlierRuns;
        answeredRequests.continuing(earlierRuns);
    }

    /** True when an earlier owner answered a request that is read again. */
    boolean isDone(long offset) {
        return earlier.isDone(offset);
    }

    /** A request that can be acted on. */
    void received(RequestRead read) {
        var call = new ToolCall(read);
        var progress = accepted.take(read.origin());
        if (answeredRequests.isReadAfter(call.offset()) || progress == Attach.Progress.ACKED) {
            if (read.method() != ToolMethod.CANCEL) {
                boolean _ = recent.reserve();
                recent.remember(call.key(), now());
            }
            done(read.origin());
        } else if (read.method() == ToolMethod.CANCEL) {
            cancel(read);
        } else if (progress == null
                && (byRequest.containsKey(call.key()) || recent.contains(call.key(), now()))) {
            context.services().metrics().duplicate("tool-requests");
            done(read.origin());
        } else {
            open.put(call.offset(), call);
            byRequest.put(call.key(), call);
            boolean hasRoom = recent.reserve();
            if (progress != null) {
                queue.adopt(call);
                awaitResult(call);
            } else if (earlier.isInDoubt(call.offset())) {
                queue.adopt(call);
                unsure(call);
            } else if (hasRoom) {
                begin(call, queue::admit);
            } else {
                answer(call, OwnAnswer.MEMORY_FULL);
            }
        }
    }

    /** What is wanted of instances may have changed, or commands were taken. */
    void installed() {
        serverWait.lookAgain();
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
        silence.attached(result, now());
        var requests = context.linkName(Topic.TOOL_REQUESTS);
        boolean same = accepted.attached(result, requests);
        earlier.attached(result.createdEpoch());
        for (var call : List.copyOf(open.values())) {
            resume(call, accepted.take(call.read().origin()), same);
        }
    }

    private void resume(ToolCall call, Attach.@Nullable Progress progress, boolean same) {
        switch (call.stage()) {
            case WAITING, UNSURE -> {
                if (progress == Attach.Progress.ACKED) {
                    end(call);
                    byRequest.remove(call.key());
                    recent.remember(call.key(), now());
                    done(call.read().origin());
                } else if (progress != null) {
                    awaitResult(call);
                } else if (call.stage() == Stage.UNSURE && !call.isResolved()) {
                    call.stage(Stage.WAITING);
                    begin(call, _ -> null);
                } else if (call.stage() == Stage.UNSURE && same) {
                    send(call);
                } else if (call.stage() == Stage.UNSURE) {
                    lost(call);
                }
            }
            case SENDING, ACCEPTED, ENDED -> {}
        }
    }

    /**
     * The session is gone for this owner.
     *
     * @param alive true when a worker may still have it: a higher epoch took it over, or it was
     *     never attached
     */
    void sessionEnded(boolean alive) {
        earlier.detached();
        for (var call : List.copyOf(open.values())) {
            if (call.stage() == Stage.ACCEPTED || call.stage() == Stage.UNSURE) {
                if (!alive) {
                    lost(call);
                } else if (call.stage() == Stage.ACCEPTED) {
                    unsure(call);
                }
            }
        }
    }

    /** An entry of a worker's journal arrived, of whatever type. */
    void received(InstanceEvent event) {
        if (silence.isReplaying()) {
            silence.received(event.processId(), event.seq(), now());
        }
    }

    /** True while a worker runs something for a request, or may. */
    boolean hasCallsAtWorker() {
        return open.values().stream().anyMatch(call -> call.stage() != Stage.WAITING);
    }

    /** True while an answer is not durable yet. */
    boolean isAnswering() {
        return answering > 0;
    }

    /**
     * A result arrived; {@code durable} runs on the owner's thread when the event may be
     * acknowledged.
     */
    void result(InstanceEvent event, long createdEpoch, Runnable durable) {
        var origin = ofThisTopic(event.origin());
        if (origin != null && answeredRequests.isFinal(origin.offset())) {
            durable.run();
            return;
        }
        var call = origin == null ? null : open.get(origin.offset());
        if (call != null) {
            end(call);
            answering++;
        } else if (origin != null && mayBeReadLater(origin.offset())) {
            answeredRequests.beforeRead(origin.offset());
        }
        answers.pass(
                event,
                createdEpoch,
                at -> {
                    if (call != null) {
                        answered(call, null, at);
                    }
                    durable.run();
                });
    }

    /** None where a topic was meant that was deleted and made again since. */
    private @Nullable RecordOrigin ofThisTopic(@Nullable RecordOrigin origin) {
        return origin != null && origin.topic().equals(context.linkName(Topic.TOOL_REQUESTS))
                ? origin
                : null;
    }

    /** Requests below this offset were answered and will not come again; others may be sent. */
    void committed(long offset) {
        answeredRequests.committed(offset);
        accepted.committed(offset);
        unreserved.stream().filter(c -> c.stage() == Stage.WAITING).forEach(queue::ready);
        unreserved.clear();
        dispatch();
    }

    /** Gives the memory back of ids whose window is over. */
    void forget() {
        recent.forget(now());
    }

    /** The tenure is over: what the gateway keeps of it is free for other partitions. */
    void leave() {
        recent.close();
        open.values().forEach(ToolCall::letGo);
    }

    /** Unless its time is over or it is refused, its server is looked for. */
    private void begin(ToolCall call, Function<ToolCall, @Nullable OwnAnswer> admission) {
        call.addPossibleRuns(earlier.lostRuns(call.offset()));
        var refusal = isOver(call) ? OwnAnswer.EXPIRED : admission.apply(call);
        if (refusal == null) {
            serverWait.find(call);
        } else {
            answer(call, refusal);
        }
    }

    /** When it is its turn. */
    void send(ToolCall call) {
        call.stage(Stage.WAITING);
        if (call.possibleRuns() > 1 || isOver(call)) {
            answer(call, isOver(call) ? OwnAnswer.EXPIRED : OwnAnswer.NO_WORKER);
            return;
        }
        if (!call.isComplete()) {
            answer(call, OwnAnswer.ARGUMENTS_FULL);
            return;
        }
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
            if (context.feed().mayDispatch(call.offset())) {
                call.timer(null);
                call.stage(Stage.SENDING);
                context.services()
                        .metrics()
                        .sent(Duration.between(call.read().appendedAt(), now()));
                sender.send(call, session);
            } else {
                queue.aside(call);
                unreserved.add(call);
            }
        }
        var due = queue.due();
        if (due != null && !due.equals(nextTurn)) {
            nextTurn = due;
            context.timers().at(due, this::dispatch);
        }
    }

    /** True when the worker does not know a server only because it was not given to it yet. */
    boolean isBeingRestored(ToolCall call) {
        var session = context.serving();
        var processId = call.processId();
        return session != null && processId != null && session.restoring().contains(processId);
    }

    /** It is the worker's, which tells its result. */
    void awaitResult(ToolCall call) {
        serverWait.remove(call);
        call.stage(Stage.ACCEPTED);
        watch(call);
    }

    private void watch(ToolCall call) {
        var until = silence.until(call.read().deadline());
        call.timer(context.timers().at(until, () -> afterWhatArrived(() -> endIfSilent(call))));
    }

    private void endIfSilent(ToolCall call) {
        if (call.stage() == Stage.ACCEPTED) {
            if (silence.until(call.read().deadline()).isAfter(now())) {
                watch(call);
            } else {
                answer(call, OwnAnswer.SILENT);
            }
        }
    }

    /** An owner that was held up has a mailbox full of what arrived before its alarms were due. */
    private void afterWhatArrived(Runnable work) {
        context.mailbox().post(work);
    }

    /** The worker cannot take it yet. */
    void putAside(ToolCall call) {
        call.stage(Stage.WAITING);
        queue.aside(call);
        hold(call);
    }

    /** A session may have it, of this owner or an earlier one, and the next attach tells. */
    void unsure(ToolCall call) {
        call.stage(Stage.UNSURE);
        var until = silence.untilAttached(call.read().deadline(), now());
        call.timer(context.timers().at(until, () -> afterWhatArrived(() -> endIfUnsure(call))));
    }

    private void endIfUnsure(ToolCall call) {
        if (call.stage() == Stage.UNSURE) {
            answer(call, OwnAnswer.OUTCOME_UNKNOWN);
        }
    }

    /** A session that may have run it is gone: it may go to the next, once. */
    void lost(ToolCall call) {
        call.addPossibleRuns(1);
        call.stage(Stage.WAITING);
        if (call.isResolved()) {
            send(call);
        } else {
            serverWait.find(call);
        }
    }

    private boolean isOver(ToolCall call) {
        return !call.read().deadline().isAfter(now());
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

    void answer(ToolCall call, OwnAnswer own) {
        if (call.hasEnded()) {
            return;
        }
        var read = call.read();
        var given = call.possibleRuns() > 0 ? own.afterPossibleRun(read.method()) : own;
        var result = ToolResult.refused(read.request(), call.processId(), given.error(), now());
        end(call);
        answering++;
        answeredRequests.byGateway(call.offset());
        Quietly.run(() -> answers.decide(call, result, at -> answered(call, codeOf(result), at)));
    }

    void answer(ToolCall call, ToolResult result) {
        if (call.hasEnded()) {
            return;
        }
        end(call);
        answering++;
        answeredRequests.byGateway(call.offset());
        answers.give(
                call.read().origin(),
                result,
                call.read().reply(),
                call.span().traceparent(),
                at -> answered(call, codeOf(result), at));
    }

    private void end(ToolCall call) {
        call.timer(null);
        serverWait.remove(call);
        unreserved.remove(call);
        call.stage(Stage.ENDED);
        open.remove(call.offset());
        queue.ended(call);
        dispatch();
    }

    private void answered(ToolCall call, @Nullable ErrorCode code, Instant at) {
        answering--;
        byRequest.remove(call.key());
        if (code == ErrorCode.OVERLOADED) { // It never ran, and its author is to try again.
            recent.release();
        } else {
            recent.remember(call.key(), now());
        }
        var took = Duration.between(call.read().appendedAt(), at);
        context.services().metrics().requestEnded(code, took);
        call.answered(code, at, took);
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
}
