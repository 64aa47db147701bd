package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.link.LinkException;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.trace.LogContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests over the link, each on a virtual thread, and reports back on the owner's. */
final class CallSender {
    private static final Logger LOG = LoggerFactory.getLogger(CallSender.class);
    private static final Duration CANCEL_WAIT = Duration.ofSeconds(5);

    /** What became of a call that was sent. */
    interface Verdict {
        /** Its result will be an event. */
        void accepted(ToolCall call);

        /** It never ran; this is the answer. */
        void answered(ToolCall call, ToolResult result);

        /** It did not run and will not. */
        void refused(ToolCall call, OwnAnswer own);

        /** It did not run and may be sent again. */
        void notRun(ToolCall call);

        /** It may have been accepted, and the next attach tells. */
        void unsure(ToolCall call);

        /** It may have been accepted by a session that is gone. */
        void lost(ToolCall call);
    }

    private final PartitionContext context;
    private final Verdict verdict;

    CallSender(PartitionContext context, Verdict verdict) {
        this.context = context;
        this.verdict = verdict;
    }

    void send(ToolCall call, Session session) {
        Thread.ofVirtual().name("call").start(() -> execute(call, session));
    }

    /** Cancels a request that the worker may have; {@code done} runs on the owner's thread. */
    void cancel(RequestRead read, Runnable done) {
        var session = context.serving();
        if (session == null) {
            done.run();
            return;
        }
        Thread.ofVirtual().name("cancel").start(() -> cancel(read, session, done));
    }

    private void execute(ToolCall call, Session session) {
        var read = call.read();
        var order = order(call);
        try {
            var answer = session.link().execute(order, read.deadline());
            context.mailbox().post(() -> executed(call, answer));
        } catch (LinkException e) {
            context.mailbox().post(() -> failed(call, session, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue(LogContext.PROCESS_ID, call.processId())
                    .addKeyValue(LogContext.PARTITION, context.partition())
                    .addKeyValue(LogContext.EPOCH, session.link().claim().epoch())
                    .addKeyValue(LogContext.TRACE_ID, call.span().traceId())
                    .setCause(e)
                    .log("A call could not be sent");
            context.mailbox().post(() -> broken(call));
        }
    }

    private void broken(ToolCall call) {
        context.services().metrics().failure("call");
        if (call.stage() == ToolCall.Stage.SENDING) {
            verdict.refused(call, OwnAnswer.OUTCOME_UNKNOWN);
        }
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private ToolOrder.Execute order(ToolCall call) {
        var read = call.read();
        return new ToolOrder.Execute(
                context.partition(),
                read.origin(),
                call.processId(),
                read.request(),
                read.deadline(),
                read.reply(),
                call.span().traceparent(),
                call.possibleRuns() > 0 ? true : null);
    }

    private void executed(ToolCall call, ToolOrder.Accepted answer) {
        if (call.stage() != ToolCall.Stage.SENDING) {
            return;
        }
        var answered = answer.answered();
        if (answered == null) {
            verdict.accepted(call);
        } else {
            verdict.answered(call, answered);
        }
    }

    private void failed(ToolCall call, Session session, LinkException failure) {
        if (call.stage() != ToolCall.Stage.SENDING) {
            return;
        }
        switch (failure.reason()) {
            case LOST, FENCED, DETACHED, DRAINING -> {
                session.close();
                if (!failure.mayHaveRun()) {
                    verdict.notRun(call);
                } else if (failure.reason() == LinkException.Reason.LOST) {
                    verdict.lost(call);
                } else {
                    verdict.unsure(call);
                }
            }
            case DEADLINE -> {
                if (failure.mayHaveRun()) {
                    verdict.accepted(call);
                } else {
                    verdict.refused(call, OwnAnswer.NOT_REACHED);
                }
            }
            case OVERLOADED -> verdict.answered(call, overloaded(call, failure));
            case TOO_LARGE -> verdict.refused(call, OwnAnswer.TOO_LARGE);
            case REJECTED -> {
                context.services().metrics().failure("call");
                verdict.refused(
                        call, failure.mayHaveRun() ? OwnAnswer.OUTCOME_UNKNOWN : OwnAnswer.REFUSED);
            }
        }
    }

    /** With the limit that the worker named. */
    private ToolResult overloaded(ToolCall call, LinkException failure) {
        return ToolResult.refused(
                call.read().request(),
                call.processId(),
                ToolError.of(ErrorCode.OVERLOADED, String.valueOf(failure.getMessage()), null),
                context.services().clock().instant());
    }

    private void cancel(RequestRead read, Session session, Runnable done) {
        var request = read.request();
        var order =
                new ToolOrder.Cancel(
                        context.partition(),
                        request.requestId(),
                        request.teamId(),
                        request.userId());
        try {
            session.link().cancel(order, context.services().clock().instant().plus(CANCEL_WAIT));
        } catch (LinkException e) {
            context.services().metrics().failure("cancel");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        context.mailbox().post(done);
    }
}
