package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.EarlierRuns;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.partition.CallTransitions.Transition;
import dev.perigee.gateway.partition.GatewayMetrics.Where;
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
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests of one partition, from their record to their one answer. For the owner's thread; the
 * calls over the link wait on threads of their own.
 *
 * <p>An accepted request is the worker's: it times it out and its result comes as an event. The
 * gateway answers what no worker accepted, and, past the deadline and a margin, what the worker is
 * silent about. A late event of a request that has its answer, or whose offset is committed, is
 * acknowledged and not published, so that no request has two different answers, whichever gateway
 * gave the first.
 */
final class CallFlow implements CallListener {
    private static final Logger LOG = LoggerFactory.getLogger(CallFlow.class);

    private final PartitionContext context;
    private final ResultPublisher answers;
    private final CallSender sender;
    private final ServerWait serverWait;
    private final FairQueue queue;
    private final RequestTable requests;
    private final Set<ToolCall> unreserved = new LinkedHashSet<>();
    private final WorkerSilence silence;
    private final HeldQuestions questions;
    private final Cancellations cancellations;
    private @Nullable Instant nextTurn;
    private int answering;

    CallFlow(PartitionContext context, ResultPublisher answers, ServerWait.CommandsTaken commands) {
        this.context = context;
        this.answers = answers;
        this.sender = new CallSender(context, this);
        this.serverWait = new ServerWait(context, commands, this);
        this.queue =
                new FairQueue(
                        context.services().limits(),
                        context.services().arguments(),
                        context.services().clock());
        this.silence = new WorkerSilence(context.services().times().silence());
        this.requests =
                new RequestTable(
                        new RecentIds(
                                context.services().requestIds(),
                                context.services().times().requestMemory()));
        this.questions = new HeldQuestions(requests);
        this.cancellations = new Cancellations(context, requests, sender, this);
    }

    /** Progress of the previous owner, by the committed offset's metadata; before any request. */
    void continuing(EarlierRuns earlierRuns) {
        requests.continuing(earlierRuns);
    }

    /** True when an earlier owner answered a request that is read again. */
    boolean isDone(long offset) {
        return requests.isDone(offset);
    }

    /** A request that can be acted on. */
    void received(RequestRead read) {
        var call = new ToolCall(read, context.services().offsets().group());
        try {
            arrived(call, read);
        } catch (RuntimeException e) {
            serverWait.remove(call);
            queue.ended(call);
            requests.dropped(call);
            throw e;
        }
    }

    private void arrived(ToolCall call, RequestRead read) {
        var arrival = requests.arrived(call, now());
        questions.opened(call);
        switch (arrival) {
            case NEW -> admit(call);
            case NO_ROOM ->
                    refused(call, call.isOver(now()) ? OwnAnswer.EXPIRED : OwnAnswer.MEMORY_FULL);
            case HELD -> adopt(call, CallEvent.HELD);
            case IN_DOUBT -> adopt(call, CallEvent.IN_DOUBT);
            case CANCEL -> cancellations.arrived(read, call.key());
            case ANSWERED -> done(read.origin());
            case ANSWERING -> {} // Done when that is durable.
            case REPEATED -> {
                context.services().metrics().duplicate("tool-requests");
                done(read.origin());
            }
        }
    }

    private void admit(ToolCall call) {
        var refusal = call.isOver(now()) ? OwnAnswer.EXPIRED : queue.admit(call);
        if (refusal == null) {
            happened(call, CallEvent.ADMITTED);
        } else {
            refused(call, refusal);
        }
    }

    private void adopt(ToolCall call, CallEvent event) {
        queue.adopt(call);
        happened(call, event);
    }

    /** What is wanted of instances may have changed, or commands were taken. */
    void installed() {
        serverWait.lookAgain();
    }

    /** Requests may be sent to the session that now serves. */
    void serving() {
        requests.open().stream()
                .filter(call -> call.stage() == CallStage.QUEUED)
                .forEach(queue::ready);
        dispatch();
    }

    /** The attach response, with the requests that the session accepted; before any is sent. */
    void attached(Attach.Result result) {
        silence.attached(result, now());
        boolean same = requests.attached(result, context.linkName(Topic.TOOL_REQUESTS));
        questions.attached(result, context.linkName(Topic.TOOL_REQUESTS));
        tellOpen(call -> requests.whenAttached(call, same));
        if (questions.release(queue)) {
            dispatch();
        }
    }

    /** The link of the session is recovering. */
    void suspended() {
        questions.suspended();
    }

    /**
     * The session is gone for this owner.
     *
     * @param alive true when a worker may still have it: a higher epoch took it over, or it was
     *     never attached
     */
    void sessionEnded(boolean alive) {
        requests.detached();
        tellOpen(_ -> alive ? CallEvent.SESSION_AWAY : CallEvent.SESSION_GONE);
    }

    /** An internal error in one of them does not affect the others. */
    private void tellOpen(Function<ToolCall, CallEvent> event) {
        for (var call : requests.open()) {
            try {
                if (!call.hasEnded()) {
                    happened(call, event.apply(call));
                }
            } catch (InterruptException e) {
                throw e;
            } catch (RuntimeException e) {
                context.services().metrics().failure(Where.CALL);
                LOG.atError()
                        .addKeyValue("origin", call.read().origin().toString())
                        .setCause(e)
                        .log("Failed to update a request after its session changed");
            }
        }
    }

    /** An entry of a worker's journal arrived, of whatever type. */
    void received(InstanceEvent event) {
        if (silence.isReplaying()) {
            silence.received(event.processId(), event.seq(), now());
        }
    }

    /** True while a worker has a request, or may; a call with an open question can move. */
    boolean hasCallsAtWorker() {
        return requests.open().stream()
                .anyMatch(call -> call.stage().mayBeAtWorker() && !call.isAsking());
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
        if (origin != null && requests.isFinal(origin.offset())) {
            durable.run();
            return;
        }
        var call = origin == null ? null : requests.open(origin.offset());
        var unread =
                call == null && origin != null && mayBeReadLater(origin.offset()) ? origin : null;
        if (call != null) {
            happened(call, CallEvent.RESULT);
        } else if (unread != null) {
            requests.answeredBeforeRead(unread.offset());
        }
        answers.pass(
                event,
                createdEpoch,
                at -> {
                    if (call != null) {
                        answered(call, null, at);
                    } else if (unread != null) {
                        requests.durableBeforeRead(unread.offset());
                        context.feed().requestDoneEarly(unread.offset());
                    }
                    durable.run();
                });
    }

    /**
     * An event of a running call arrived.
     *
     * @param progress it is one of progress, which moves the deadline
     * @return false when the request has its answer: later events are dropped
     */
    boolean tells(InstanceEvent event, boolean progress) {
        var origin = ofThisTopic(event.origin());
        if (origin == null || requests.isFinal(origin.offset())) {
            return false;
        }
        questions.asked(event, origin.offset());
        var call = requests.open(origin.offset());
        if (progress && call != null) {
            call.progressed(now());
            happened(call, CallEvent.PROGRESSED);
        }
        return true;
    }

    /** None where a topic was meant that was deleted and made again since. */
    private @Nullable RecordOrigin ofThisTopic(@Nullable RecordOrigin origin) {
        return origin != null && origin.topic().equals(context.linkName(Topic.TOOL_REQUESTS))
                ? origin
                : null;
    }

    /** Offset committed: no request below is read again; newly reserved ones may be sent. */
    void committed(long offset) {
        requests.committed(offset);
        questions.committed(offset);
        unreserved.stream().filter(call -> call.stage() == CallStage.QUEUED).forEach(queue::ready);
        unreserved.clear();
        dispatch();
    }

    /** Gives the memory back of ids whose window is over. */
    void forget() {
        requests.forget(now());
    }

    /** The tenure is over: what the gateway keeps of it is free for other partitions. */
    void leave() {
        requests.close();
    }

    @Override
    public void happened(ToolCall call, CallEvent event) {
        var step = step(call, event);
        if (call.isCancelled() && step.to().isWaiting()) {
            happened(call, CallEvent.CANCELLED);
        } else {
            act(call, step.action(), step.answer());
        }
    }

    @Override
    public void refused(ToolCall call, OwnAnswer reason) {
        if (reason != OwnAnswer.OUTCOME_UNKNOWN) {
            questions.refused(call);
        }
        act(call, step(call, CallEvent.REFUSED).action(), reason);
    }

    @Override
    public void turnedDown(ToolCall call, ToolResult answer) {
        var error = answer.error();
        if (error != null && error.code() != ErrorCode.OUTCOME_UNKNOWN) {
            questions.refused(call);
        }
        boolean unknown = error != null && error.code() == ErrorCode.UNKNOWN_SERVER;
        var session = context.serving();
        if (unknown && session != null && session.isRestoring(call.processId())) {
            happened(call, CallEvent.NOT_GIVEN_YET);
            return;
        }
        var step = step(call, CallEvent.TURNED_DOWN);
        if (step.action() == CallAction.RELAY) {
            relay(call, answer);
        } else {
            act(call, step.action(), step.answer());
        }
    }

    private Transition step(ToolCall call, CallEvent event) {
        var step = CallTransitions.next(call.stage(), event, facts(call));
        call.go(step);
        questions.stepped(call, step);
        return step;
    }

    private CallFacts facts(ToolCall call) {
        var now = now();
        return new CallFacts(
                call.isResolved(),
                call.isComplete(),
                call.read().method() == ToolMethod.TOOLS_CALL,
                call.possibleRuns(),
                !call.sendBy().isAfter(now),
                context.serving() != null,
                silence.until(call.lastDeadline()).isAfter(now),
                call.rounds());
    }

    private void act(ToolCall call, CallAction action, @Nullable OwnAnswer own) {
        switch (action) {
            case NOTHING -> {}
            case FIND_SERVER -> {
                queue.aside(call);
                serverWait.find(call);
            }
            case ENQUEUE -> {
                queue.ready(call);
                dispatch();
                if (call.stage() == CallStage.QUEUED) {
                    hold(call);
                }
            }
            case PUT_ASIDE -> {
                queue.aside(call);
                hold(call);
            }
            case AWAIT_RESULT -> {
                serverWait.remove(call);
                queue.atWorker(call);
                if (questions.release(call, queue)) {
                    dispatch();
                }
                // Its worker ends it in time, also by progress that was not published.
                awaitUntil(call, silence.until(call.lastDeadline()));
            }
            case AWAIT_ATTACH ->
                    awaitUntil(call, silence.untilAttached(call.lastDeadline(), now()));
            case ANSWER -> answer(call, Objects.requireNonNull(own));
            case PUBLISH -> close(call, false);
            case SETTLE -> {
                close(call, false);
                settle(call, false);
            }
            case SEND, RELAY -> throw new IllegalStateException(action + " needs more");
        }
    }

    /** By the mailbox: after a pause, results that arrived in time are handled before timeouts. */
    private void awaitUntil(ToolCall call, Instant until) {
        var stage = call.stage();
        Runnable silent =
                () -> {
                    if (call.stage() == stage) {
                        happened(call, CallEvent.SILENT);
                    }
                };
        call.timer(context.timers().at(until, () -> context.mailbox().post(silent)));
    }

    private void hold(ToolCall call) {
        call.timer(context.timers().at(call.sendBy(), () -> happened(call, CallEvent.LATE)));
    }

    /** Sends what may be sent now. */
    private void dispatch() {
        var session = context.serving();
        if (session == null) {
            return;
        }
        for (var call = queue.next(); call != null; call = queue.next()) {
            if (questions.keepsBack(call)) {
                queue.aside(call);
            } else if (context.feed().mayDispatch(call.offset())) {
                call.timer(null);
                var _ = step(call, CallEvent.TURN);
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

    private void answer(ToolCall call, OwnAnswer own) {
        var read = call.read();
        var error = call.truly(own, now()).error();
        var result = ToolResult.refused(read.request(), call.processId(), error, now());
        close(call, true);
        InterruptDeferral.run(
                () ->
                        answers.decide(
                                call,
                                result,
                                at -> answered(call, ResultPublisher.codeOf(result), at)));
    }

    private void relay(ToolCall call, ToolResult result) {
        close(call, true);
        answers.give(
                call.read().origin(),
                result,
                call.read().reply(),
                call.span().traceparent(),
                at -> answered(call, ResultPublisher.codeOf(result), at));
    }

    /** It has ended, and its answer is on its way. */
    private void close(ToolCall call, boolean byGateway) {
        answering++;
        call.answering(context.services().names());
        call.timer(null);
        serverWait.remove(call);
        unreserved.remove(call);
        questions.ended(call);
        boolean _ = questions.release(call, queue);
        requests.closed(call, byGateway);
        queue.ended(call);
        dispatch();
    }

    private void answered(ToolCall call, @Nullable ErrorCode code, Instant at) {
        var took = Duration.between(call.read().appendedAt(), at);
        context.services().metrics().requestEnded(code, took);
        call.answered(code, at, took);
        settle(call, code == ErrorCode.OVERLOADED); // Which never ran: its author tries again.
    }

    private void settle(ToolCall call, boolean mayRepeat) {
        answering--;
        requests.settled(call, mayRepeat, now());
        done(call.read().origin());
    }

    /** After a rebalance a result may be replayed before its request's record is read again. */
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
