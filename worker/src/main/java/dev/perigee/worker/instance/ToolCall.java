package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.RequestLog;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.LogLevel;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.log.MaskedJson;
import dev.perigee.worker.mcp.ArgumentHeaders;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpRequest;
import dev.perigee.worker.tool.FailureStatus;
import dev.perigee.worker.tool.McpSpan;
import dev.perigee.worker.tool.RetryDecision;
import dev.perigee.worker.tool.ServerRequest;
import dev.perigee.worker.tool.ToolResults;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One accepted request, on a virtual thread of its own: waits for its instance, bounded, asks the
 * server once (over HTTP again where that is harmless), and has exactly one result appended.
 */
final class ToolCall implements Runnable, RunningCalls.RunningCall {
    private static final Logger log = LoggerFactory.getLogger(ToolCall.class);

    private static final Duration SET_LEVEL_WAIT = Duration.ofSeconds(2);

    private final Instance instance;
    private final ToolOrder.Execute order;
    private final ServerRequest request;
    private final McpSpan span;
    private final SecondRun secondRun;
    private final long startNanos = System.nanoTime();
    private final CallDeadline deadline;
    private final Thread thread;
    private final @Nullable CallInput input;
    private final @Nullable SubscriptionRequest subscription;
    private volatile boolean cancelled;
    private volatile boolean unanswered;
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
    ToolCall(
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
        this.deadline = CallDeadline.of(order, startNanos, left);
        this.thread = Thread.ofVirtual().name("tool-call").unstarted(this);
        this.input = input();
        this.subscription = SubscriptionRequest.of(instance, order.request());
    }

    /** Null where the call may not be asked. */
    private @Nullable CallInput input() {
        var all = order.inputMs();
        if (all == null || !order.request().accepts(CallPart.INPUT)) {
            return null;
        }
        return new CallInput(
                order,
                all,
                deadline,
                instance.parts().clock(),
                instance.parts().timers(),
                new InputOutlet());
    }

    private final class InputOutlet implements CallInput.Outlet {
        @Override
        public boolean publish(EventBody.CallInputRequired question, @Nullable Long pid) {
            var journal = instance.journal();
            return journal.reaches(question.type()) && journal.appendQuestion(order, question, pid);
        }

        @Override
        public void expired() {
            unanswered = true;
            thread.interrupt();
        }

        @Override
        public void ended(String inputId, CallInput.Fate how) {
            instance.endedQuestions().add(order.request().requestId(), inputId, how);
        }
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
    public void cancel() {
        cancelled = true;
        thread.interrupt();
    }

    @Override
    public void run() {
        LogContext.put(LogContext.PROCESS_ID, instance.processId());
        LogContext.put(LogContext.PARTITION, order.partition());
        LogContext.put(LogContext.EPOCH, instance.journal().epoch());
        LogContext.put(LogContext.REQUEST_ID, order.request().requestId());
        LogContext.put(LogContext.TRACE_ID, span.traceId());
        ToolResult result;
        try {
            result = perform();
        } catch (McpException e) {
            result = failed(explain(e));
        } catch (InterruptedException e) {
            result = asked == null ? unasked(interrupted()) : failed(interrupted());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("Call failed unexpectedly");
            result =
                    failed(
                            error(
                                    attempts > 0
                                            ? ErrorCode.OUTCOME_UNKNOWN
                                            : ErrorCode.UNAVAILABLE,
                                    "The call failed in the worker: see its log"));
        }
        finish(result);
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
            logRequest(result);
        } finally {
            if (sent != null) {
                sent.done();
            }
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

    private ToolResult perform() throws McpException, InterruptedException {
        long waitUntil =
                Math.min(
                        deadline.nanos(),
                        startNanos + instance.parts().options().transitionWait().toNanos());
        @Nullable View wokenAt = null;
        while (true) {
            var view = instance.board().current();
            switch (secondRun.decide(CallGate.decide(view, request.tool()), view)) {
                case CallGate.Refuse(var error) -> {
                    HttpRun.refused(view, instance.parts().options());
                    return failed(error);
                }
                case CallGate.Send(var run) -> {
                    var result = ask(run, view);
                    if (result != null) {
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
                        return unasked(notStarted(seen));
                    }
                }
                case CallGate.Await _ -> {}
            }
            if (!instance.board().awaitOther(view, waitUntil)) {
                return unasked(stillWaiting(view));
            }
        }
    }

    private ToolResult forget(SubscriptionRequest given) throws InterruptedException {
        try {
            return answered(given.forget(() -> deadline.left(System.nanoTime(), null)));
        } catch (SubscriptionRequest.RefusedException e) {
            return failed(error(e.code(), String.valueOf(e.getMessage())));
        }
    }

    private ToolResult answered(RawJson result) {
        return ToolResults.answered(order.request(), instance.processId(), result, effort());
    }

    /** The result, or null when the process had just ended: nothing was sent. */
    private @Nullable ToolResult ask(ServerRun run, @Nullable View view)
            throws McpException, InterruptedException {
        var client = run.client();
        if (client == null) {
            return failed(error(ErrorCode.INVALID_REQUEST, "This program does not speak MCP"));
        }
        if (!left(run).isPositive()) {
            return unasked(stillWaiting(view));
        }
        asked = run;
        span.asks(run instanceof HttpRun ? run.config().url() : null, run.info());
        report(run);
        RawJson result;
        try {
            askForMessages(run, client);
            attempts += (subscription != null && client.listens()) ? 1 : 0;
            result =
                    subscription == null
                            ? send(run, client, view)
                            : subscription.perform(
                                    run, client, () -> left(run), () -> send(run, client, view));
        } catch (SubscriptionRequest.RefusedException e) {
            return failed(error(e.code(), masked(String.valueOf(e.getMessage()))));
        } catch (McpException e) {
            if (!e.sent() && e.isEnd() && !cancelled) {
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
        return answered(result);
    }

    private RawJson send(ServerRun run, McpClient client, @Nullable View view)
            throws McpException, InterruptedException {
        return run instanceof HttpRun http ? askElsewhere(http, view) : askProcess(client, run);
    }

    private RawJson askProcess(McpClient client, ServerRun run)
            throws McpException, InterruptedException {
        var under = client.send(request.method(), request.params(), left(run));
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
        var outlet =
                new CallReporter.Outlet() {
                    @Override
                    public void event(EventBody body) {
                        instance.journal().appendCallEvent(order, body, run.pid());
                    }

                    @Override
                    public void alive() {
                        deadline.progressed(System.nanoTime());
                    }

                    @Override
                    public String masked(String text) {
                        return run.masked(text);
                    }
                };
        var reporter =
                new CallReporter(
                        order,
                        this.request.progressToken(),
                        outlet,
                        run.notices(),
                        instance.parts().timers());
        reporting = CallReporting.begin(run, reporter, input);
    }

    /** Has the server log what the request accepts; that it does not want to is no failure. */
    private void askForMessages(ServerRun run, McpClient client) throws InterruptedException {
        var name = order.request().logLevel();
        var level = name == null ? null : LogLevel.of(name);
        var info = run.info();
        if (level == null
                || info == null
                || !info.offersLogging()
                || !order.request().accepts(CallPart.LOG)
                || !run.notices().needsLevel(level)) {
            return;
        }
        var params = RawJson.of("{\"level\":\"" + level.wireName() + "\"}");
        var most = left(run).compareTo(SET_LEVEL_WAIT) < 0 ? left(run) : SET_LEVEL_WAIT;
        try {
            var _ = client.request("logging/setLevel", params, most);
        } catch (McpException e) {
            log.atDebug().addKeyValue("kind", e.kind()).log("Server does not take a log level");
        }
    }

    /** A server elsewhere may be away for a moment, so it is asked again where that is harmless. */
    private RawJson askElsewhere(HttpRun run, @Nullable View view)
            throws McpException, InterruptedException {
        var parts = instance.parts();
        var catalogue = view == null ? null : view.catalogue();
        var tool =
                catalogue == null || request.tool() == null ? null : catalogue.find(request.tool());
        boolean repeatable =
                RetryDecision.isRepeatable(request, tool, parts.options().retry().trustHints());
        try {
            return parts.retrying()
                    .call(
                            () -> {
                                attempts++;
                                return requestElsewhere(
                                        run, tool == null ? ArgumentHeaders.NONE : tool.headers());
                            },
                            repeatable,
                            System.nanoTime() + left(run).toNanos());
        } catch (McpException e) {
            var status = FailureStatus.afterCall(e);
            if (status != null && !cancelled) {
                instance.mailbox().post(new Message.CallFailed(run, status));
            }
            throw e;
        }
    }

    private RawJson requestElsewhere(HttpRun run, ArgumentHeaders headers)
            throws McpException, InterruptedException {
        var under = run.client().send(request.method(), request.params(), headers, left(run));
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

    private ToolError explain(McpException failure) {
        if (unanswered) {
            return interrupted();
        }
        if (cancelled) {
            return error(ErrorCode.CANCELLED, "The request was cancelled");
        }
        var message = masked(String.valueOf(failure.getMessage()));
        boolean stopped = failure.kind() == McpException.Kind.CLOSED && isStopped();
        var error = error(stopped ? ErrorCode.STOPPED : ToolResults.code(failure), message);
        var own = failure.serverError();
        return own == null ? error : error.ofServer(own.code(), masked(own.data()));
    }

    private boolean isStopped() {
        var view = instance.board().current();
        return view != null && view.stopped();
    }

    private ToolError interrupted() {
        if (unanswered) {
            return error(
                    ErrorCode.INPUT_TIMEOUT,
                    "The server asked something, and nobody answered in time: accept input only"
                            + " where somebody answers, or raise input_timeout_ms");
        }
        return cancelled
                ? error(ErrorCode.CANCELLED, "The request was cancelled")
                : error(ErrorCode.UNAVAILABLE, "This worker no longer runs the server: try again");
    }

    private ToolError stillWaiting(@Nullable View view) {
        var status = view == null ? null : view.status();
        var slug = view == null ? "" : view.identity().serverSlug();
        if (System.nanoTime() - deadline.nanos() >= 0) {
            return error(
                    ErrorCode.EXPIRED,
                    "The request's time was over before the server was available: nothing was sent");
        }
        return error(
                ErrorCode.UNAVAILABLE,
                "Server is not available yet: try again.\n\nStatus: %s\n\nUnavailable server: %s"
                        .formatted(status == null ? "unknown" : status.wireName(), slug));
    }

    private ToolError notStarted(View view) {
        var why = view.lastError() == null ? "no process" : view.lastError();
        return error(ErrorCode.UNAVAILABLE, "The server could not be started: " + why);
    }

    private @Nullable RawJson masked(@Nullable RawJson data) {
        return data == null ? null : MaskedJson.of(data, this::masked);
    }

    private String masked(String text) {
        return asked == null ? text : asked.masked(text);
    }

    private ToolError error(ErrorCode code, String message) {
        var view = instance.board().current();
        return ToolError.of(code, message, view == null ? null : view.status());
    }

    /** The server was not asked this time. */
    private ToolResult unasked(ToolError error) {
        return failed(secondRun.explain(error, instance.board().current()));
    }

    private ToolResult failed(ToolError error) {
        return ToolResults.failed(order.request(), instance.processId(), error, effort());
    }

    private ToolResults.Effort effort() {
        return new ToolResults.Effort(
                attempts,
                Duration.ofNanos(System.nanoTime() - startNanos).toMillis(),
                instance.parts().clock().instant());
    }

    private void logRequest(ToolResult result) {
        var view = instance.board().current();
        var tool = request.tool();
        if (tool == null || view == null || !view.config().logsRequests()) {
            return;
        }
        RawJson response = result.result();
        var error = result.error();
        instance.requestLogs()
                .add(
                        new RequestLog(
                                order.request().userId(),
                                tool,
                                order.request().arguments(),
                                response,
                                result.durationMs(),
                                result.outcome() == ToolOutcome.SUCCESS,
                                error == null ? null : error.message(),
                                result.timestamp()),
                        view.config().requestLogValues());
    }
}
