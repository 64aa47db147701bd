package dev.perigee.worker.instance;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.instance.CallErrors.Ending;
import dev.perigee.worker.mcp.ArgumentHeaders;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpRequest;
import dev.perigee.worker.tool.FailureStatus;
import dev.perigee.worker.tool.InputRequired;
import dev.perigee.worker.tool.McpSpan;
import dev.perigee.worker.tool.RetryDecision;
import dev.perigee.worker.tool.ServerRequest;
import dev.perigee.worker.tool.ToolResults;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One accepted request, on a virtual thread of its own: waits for its instance, bounded, asks the
 * server once (over HTTP again where that is harmless), and has exactly one result appended.
 */
final class AcceptedCall implements Runnable, RunningCalls.RunningCall {
    private static final Logger log = LoggerFactory.getLogger(AcceptedCall.class);

    private final Instance instance;
    private final ToolOrder.Execute order;
    private final ServerRequest request;
    private final McpSpan span;
    private final SecondRun secondRun;
    private final long startNanos = System.nanoTime();
    private final CallDeadline deadline;
    private final Thread thread;
    private final @Nullable HeldQuestion resumed;
    private final @Nullable CallInput input;
    private final CallRounds rounds;
    private final CallTasks tasks;
    private final CallErrors errors;
    private final @Nullable SubscriptionRequest subscription;
    private final AtomicReference<Ending> ending = new AtomicReference<>(Ending.NONE);
    private int attempts;
    private @Nullable ServerRun asked;
    private @Nullable McpRequest sent;
    private @Nullable CallReporting reporting;

    /**
     * A call that was accepted.
     *
     * @param span what it is in the request's trace; ended with the call
     * @param left until its deadline
     */
    AcceptedCall(
            Instance instance,
            ToolOrder.Execute order,
            ServerRequest request,
            McpSpan span,
            Duration left) {
        this.instance = instance;
        this.order = order;
        this.request = request;
        this.span = span;
        this.secondRun =
                new SecondRun(order, request, instance.parts().options().retry().trustHints());
        this.resumed = order.resume() == null ? null : HeldQuestion.read(order.resume());
        this.deadline = CallDeadline.of(order, startNanos, left, resumed);
        this.thread = Thread.ofVirtual().name("tool-call").unstarted(this);
        this.input = input();
        this.rounds = new CallRounds(input, instance.board());
        this.tasks = new CallTasks(instance, order, request, deadline, input, rounds);
        this.errors = new CallErrors(instance, secondRun, deadline);
        this.subscription = SubscriptionRequest.of(instance, order.request());
    }

    /** Null where the call may not be asked. */
    private @Nullable CallInput input() {
        var all = order.inputMs();
        if (all == null || !order.request().accepts(CallPart.INPUT)) {
            return null;
        }
        var clock = instance.parts().clock();
        return new CallInput(
                order,
                resumed == null
                        ? all
                        : Duration.between(clock.instant(), resumed.inputUntil()).toMillis(),
                deadline,
                clock,
                instance.parts().timers(),
                new InputOutlet(
                        instance,
                        order,
                        () -> ending.get() == Ending.HANDED_OVER,
                        () -> {
                            var _ = end(Ending.UNANSWERED);
                        }));
    }

    @Override
    public boolean isOf(String requestId) {
        return order.request().requestId().equals(requestId);
    }

    @Override
    public CallInput.Verdict respond(String inputId, RawJson responses) {
        return input == null
                ? new CallInput.Verdict.Refused("The call accepts no questions")
                : input.respond(inputId, responses);
    }

    /**
     * Has the question open that the call goes on from, where it does not begin. Before {@link
     * #begin}, and before anybody else knows the call.
     */
    void resume() {
        if (resumed != null) {
            instance.journal().holds(order, resumed);
            rounds.resume(resumed);
        }
    }

    void begin() {
        thread.start();
    }

    @Override
    public boolean matches(ToolOrder.Cancel cancel) {
        var asked = order.request();
        return asked.requestId().equals(cancel.requestId())
                && asked.teamId().equals(cancel.teamId())
                && asked.userId().equals(cancel.userId());
    }

    @Override
    public boolean cancel() {
        return end(Ending.CANCELLED);
    }

    /** Ends it unless something does already; false when another worker goes on with it. */
    private boolean end(Ending how) {
        if (ending.compareAndSet(Ending.NONE, how)) {
            thread.interrupt();
        }
        return ending.get() != Ending.HANDED_OVER;
    }

    @Override
    public void run() {
        LogContext.put(LogContext.PROCESS_ID, instance.processId());
        LogContext.put(LogContext.PARTITION, order.partition());
        LogContext.put(LogContext.EPOCH, instance.journal().epoch());
        LogContext.put(LogContext.REQUEST_ID, order.request().requestId());
        LogContext.put(LogContext.TRACE_ID, span.traceId());
        @Nullable ToolResult result;
        try {
            result = perform();
        } catch (McpException e) {
            result = failed(errors.of(e, asked, ending.get()));
        } catch (InterruptedException e) {
            var error = errors.of(ending.get());
            result = asked == null ? unasked(error) : failed(error);
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("Call failed unexpectedly");
            result =
                    failed(
                            errors.of(
                                    attempts > 0
                                            ? ErrorCode.OUTCOME_UNKNOWN
                                            : ErrorCode.UNAVAILABLE,
                                    "The call failed in the worker: see its log"));
        }
        if (result == null) {
            handOver();
        } else {
            finish(result);
        }
    }

    /** The call has no result here: its gateway has it go on at another worker. */
    private void handOver() {
        if (input != null) {
            input.end();
        }
        release();
        instance.journal().handOver(order);
        instance.calls().remove(this);
        span.handedOver();
    }

    private void finish(ToolResult result) {
        var _ = Thread.interrupted(); // A late cancel must not disturb the journal.
        try {
            if (reporting != null) {
                reporting.end();
            }
            if (input != null) {
                input.end();
            }
            // Before the result is public, so that who has it finds it counted.
            instance.account().answered(result, request.params().size());
            instance.journal().appendResult(order, result);
            instance.logRequest(order, request.tool(), result);
        } finally {
            release();
            instance.calls().remove(this);
        }
        var error = result.error();
        span.end(result);
        log.atDebug()
                .addKeyValue("outcome", result.outcome())
                .addKeyValue("code", error == null ? null : error.code())
                .addKeyValue("took_ms", result.durationMs())
                .log("Call ended");
    }

    /** What the server answered is dealt with. */
    private void release() {
        if (sent != null) {
            sent.done();
            sent = null;
        }
        tasks.end();
    }

    /** The result; null when another worker goes on with the call. */
    private @Nullable ToolResult perform() throws McpException, InterruptedException {
        while (true) {
            if (ending.get() != Ending.NONE) {
                throw new InterruptedException(); // Before this thread could be told.
            }
            switch (rounds.await(instance.journal()::handsOver)) {
                case SEND -> {
                    var result = round();
                    if (result != null) {
                        return result;
                    }
                }
                case ELSEWHERE -> {
                    if (ending.compareAndSet(Ending.NONE, Ending.HANDED_OVER)) {
                        return null;
                    }
                }
                case LEFT -> throw new InterruptedException();
                case REMOVED -> {
                    return failed(errors.of(ErrorCode.UNKNOWN_SERVER, "The server was removed"));
                }
            }
        }
    }

    /** The result; null when the server asked something instead. */
    private @Nullable ToolResult round() throws McpException, InterruptedException {
        long now = System.nanoTime();
        long waitUntil =
                now
                        + Math.min(
                                deadline.left(now, null).toNanos(),
                                instance.parts().options().transitionWait().toNanos());
        int before = rounds.count();
        @Nullable View wokenAt = null;
        while (true) {
            var view = instance.board().current();
            switch (secondRun.decide(CallGate.decide(view, request.tool()), view)) {
                case CallGate.Refuse(var error) -> {
                    if (!rounds.awaitsEndOf(error)) {
                        HttpRun.refused(view, instance.parts().options());
                        return failed(error);
                    }
                }
                case CallGate.Send(var run) -> {
                    var result = ask(run, view);
                    if (result != null || rounds.count() > before) {
                        return result;
                    }
                }
                case CallGate.Wake(var seen) -> {
                    if (subscription != null && subscription.needsNoServer()) {
                        return forget(subscription);
                    }
                    if (wokenAt == null) {
                        wokenAt = seen;
                        instance.mailbox().post(new Message.Wake(seen.starts()));
                    } else if (seen.starts() != wokenAt.starts()) {
                        return unasked(errors.notStarted(seen));
                    }
                }
                case CallGate.Await _ -> {}
            }
            if (!instance.board().awaitOther(view, waitUntil)) {
                return unasked(errors.stillWaiting(view));
            }
        }
    }

    private ToolResult forget(SubscriptionRequest given) throws InterruptedException {
        try {
            return answered(given.forget(() -> deadline.left(System.nanoTime(), null)));
        } catch (SubscriptionRequest.RefusedException e) {
            return failed(errors.of(e.code(), String.valueOf(e.getMessage())));
        }
    }

    private ToolResult answered(RawJson result) {
        return ToolResults.answered(order.request(), instance.processId(), result, effort());
    }

    /**
     * The result, or null when the process had just ended, so that nothing was sent, or when the
     * server asked something.
     */
    private @Nullable ToolResult ask(ServerRun run, @Nullable View view)
            throws McpException, InterruptedException {
        var client = run.client();
        if (client == null) {
            return failed(errors.of(ErrorCode.INVALID_REQUEST, "This program does not speak MCP"));
        }
        if (!left(run).isPositive()) {
            return unasked(errors.stillWaiting(view));
        }
        var hash = view == null ? "" : view.configHash();
        if (!rounds.mayGoTo(hash)) {
            return failed(
                    errors.of(
                            ErrorCode.UNAVAILABLE,
                            "the server's configuration was changed before the answer came"));
        }
        asked = run;
        span.asks(run instanceof HttpRun ? run.config().url() : null, run.info());
        report(run);
        RawJson result;
        try {
            CallReporting.askForMessages(order, run, client, left(run));
            attempts += (subscription != null && client.listens()) ? 1 : 0;
            result =
                    subscription == null
                            ? send(run, client, view)
                            : subscription.perform(
                                    run, client, () -> left(run), () -> send(run, client, view));
        } catch (SubscriptionRequest.RefusedException e) {
            return failed(errors.of(e.code(), run.masked(String.valueOf(e.getMessage()))));
        } catch (McpException e) {
            if (!e.sent() && e.isEnd() && ending.get() != Ending.CANCELLED) {
                asked = null;
                return null; // Its instance is about to show it: a restart, a stop, a sleep.
            }
            throw e;
        }
        var now = instance.board().current();
        var status = now == null ? null : now.status();
        if (status == ServerStatus.OFFLINE || status == ServerStatus.ERROR) {
            instance.mailbox().post(new Message.Answered(run));
        }
        if (client.listens() && InputRequired.isIn(result)) {
            return asked(run, hash, result);
        }
        return answered(result);
    }

    /** The server has nothing of the call any more until it is asked again. */
    private @Nullable ToolResult asked(ServerRun run, String hash, RawJson result) {
        if (reporting != null) {
            reporting.end();
            reporting = null;
        }
        var why = rounds.asked(run, hash, result);
        release();
        if (why == null) {
            return null;
        }
        return failed(
                ending.get() == Ending.UNANSWERED
                        ? errors.of(ending.get())
                        : errors.of(ErrorCode.SERVER_ERROR, why));
    }

    private RawJson send(ServerRun run, McpClient client, @Nullable View view)
            throws McpException, InterruptedException {
        try {
            var result = answer(run, client, view);
            if (result != null) {
                return result;
            }
            release(); // Of a task nothing is kept here but its state.
            return tasks.follow();
        } catch (McpException e) {
            var status = run instanceof HttpRun ? FailureStatus.afterCall(e) : null;
            if (status != null && ending.get() != Ending.CANCELLED) {
                instance.mailbox().post(new Message.CallFailed((HttpRun) run, status));
            }
            throw tasks.explain(e);
        }
    }

    /** What the server answers; null where that is a task. */
    private @Nullable RawJson answer(ServerRun run, McpClient client, @Nullable View view)
            throws McpException, InterruptedException {
        RawJson result;
        try {
            result = sendOnce(run, client, view);
        } catch (McpException e) {
            if (!tasks.isDemandedBy(e)) {
                throw e;
            }
            result = sendOnce(run, client, view);
        }
        return tasks.begin(run, client, result, () -> left(run)) ? null : result;
    }

    private RawJson sendOnce(ServerRun run, McpClient client, @Nullable View view)
            throws McpException, InterruptedException {
        return run instanceof HttpRun http ? askElsewhere(http, view) : askProcess(client, run);
    }

    private RawJson askProcess(McpClient client, ServerRun run)
            throws McpException, InterruptedException {
        var under = client.send(request.method(), tasks.params(run), tasks.round(), left(run));
        sent = under;
        span.sent(under.id());
        attempts++;
        return under.await(() -> left(run));
    }

    /** From now on the server's progress and messages are told, where the request accepts them. */
    private void report(ServerRun run) {
        var request = order.request();
        if (request.accepts() == null || request.accepts().isEmpty()) {
            return;
        }
        if (reporting != null) {
            reporting.end(); // Of a process that ended before it was sent the call.
        }
        reporting =
                CallReporting.begin(
                        instance, order, this.request.progressToken(), run, deadline, input);
    }

    /** A server elsewhere may be away for a moment, so it is asked again where that is harmless. */
    private RawJson askElsewhere(HttpRun run, @Nullable View view)
            throws McpException, InterruptedException {
        var parts = instance.parts();
        var catalogue = view == null ? null : view.catalogue();
        var tool =
                catalogue == null || request.tool() == null ? null : catalogue.find(request.tool());
        boolean repeatable =
                !rounds.haveBegun()
                        && RetryDecision.isRepeatable(
                                request, tool, parts.options().retry().trustHints());
        return parts.retrying()
                .call(
                        () -> {
                            attempts++;
                            return requestElsewhere(
                                    run, tool == null ? ArgumentHeaders.NONE : tool.headers());
                        },
                        repeatable,
                        System.nanoTime() + left(run).toNanos());
    }

    private RawJson requestElsewhere(HttpRun run, ArgumentHeaders headers)
            throws McpException, InterruptedException {
        var params = tasks.params(run);
        var under = run.client().send(request.method(), params, headers, tasks.round(), left(run));
        try {
            span.sent(under.id());
            return under.await(() -> left(run));
        } finally {
            under.done();
        }
    }

    private Duration left(ServerRun run) {
        return deadline.left(System.nanoTime(), run.config().requestTimeout());
    }

    /** The server was not asked this time. */
    private ToolResult unasked(ToolError error) {
        return failed(errors.unasked(error));
    }

    private ToolResult failed(ToolError error) {
        return ToolResults.failed(
                order.request(), instance.processId(), rounds.explain(error), effort());
    }

    private ToolResults.Effort effort() {
        return new ToolResults.Effort(
                attempts,
                Duration.ofNanos(System.nanoTime() - startNanos).toMillis(),
                instance.parts().clock().instant());
    }
}
