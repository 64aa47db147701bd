package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.link.LinkException;
import dev.perigee.gateway.link.PendingAcceptance;
import dev.perigee.gateway.partition.GatewayMetrics.Where;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.trace.LogContext;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests over the link and reports back on the owner's thread, for which all but what says
 * otherwise is. What cannot be sent at once, or is large, waits on a virtual thread of its own.
 */
final class CallSender {
    private static final Logger LOG = LoggerFactory.getLogger(CallSender.class);
    private static final Duration CANCEL_WAIT = Duration.ofSeconds(5);

    /** To be written without keeping the owner from others. */
    private static final int SMALL_BYTES = 64 << 10;

    private final PartitionContext context;
    private final CallListener listener;

    CallSender(PartitionContext context, CallListener listener) {
        this.context = context;
        this.listener = listener;
    }

    void send(ToolCall call, Session session) {
        if (call.isAsking() && session.link().protocol() < LinkVersions.RESUMED_CALLS) {
            context.mailbox().post(() -> refuse(call));
            return;
        }
        var processId = call.processId();
        var called = processId == null ? null : context.state().instance(processId);
        if (processId != null && called != null && !called.isStopped()) {
            session.awake().woken(processId, context.services().clock().instant());
        }
        try {
            if (call.bytes() > SMALL_BYTES || !new Sending(call, session).begin()) {
                sendWaiting(call, session);
            }
        } catch (RuntimeException e) {
            broken(call, session, e);
        }
    }

    /** It would begin anew. */
    private void refuse(ToolCall call) {
        if (call.stage() == CallStage.SENDING) {
            listener.refused(call, OwnAnswer.OLDER_WORKER);
        }
    }

    private void sendWaiting(ToolCall call, Session session) {
        var order = order(call);
        var deadline = call.sendBy();
        Thread.ofVirtual().name("call").start(() -> execute(call, session, order, deadline));
    }

    /** A request that was sent at once, until the worker has accepted it or its time is over. */
    private final class Sending {
        private final ToolCall call;
        private final Session session;
        private @Nullable PendingAcceptance pending;

        Sending(ToolCall call, Session session) {
            this.call = call;
            this.session = session;
        }

        /** False when it cannot be sent at once. */
        boolean begin() {
            pending =
                    session.link()
                            .offer(order(call), () -> context.mailbox().postSoon(this::ended));
            if (pending == null) {
                return false;
            }
            call.timer(context.timers().at(call.sendBy(), this::ended));
            return true;
        }

        private void ended() {
            var taken = pending;
            if (taken == null) {
                return;
            }
            pending = null;
            try {
                executed(call, session, taken.take());
            } catch (LinkException e) {
                if (e.reason() != LinkException.Reason.OVERLOADED) {
                    failed(call, session, e);
                } else if (call.stage() == CallStage.SENDING) {
                    sendWaiting(call, session); // Asks again, for as long as that makes sense.
                }
            }
        }
    }

    /**
     * Cancels a request that the worker may have. One of both runs on the owner's thread.
     *
     * @param unsent no worker has it: there is none, its link is away, or the request is not there
     *     yet
     */
    void cancel(RequestRead read, Runnable done, Runnable unsent) {
        var session = context.serving();
        if (session == null) {
            unsent.run();
            return;
        }
        Thread.ofVirtual().name("cancel").start(() -> cancel(read, session, done, unsent));
    }

    /** On a thread of its own. */
    private void execute(
            ToolCall call, Session session, ToolOrder.Execute order, Instant deadline) {
        try {
            var answer = session.link().execute(order, deadline);
            context.mailbox().post(() -> executed(call, session, answer));
        } catch (LinkException e) {
            context.mailbox().post(() -> failed(call, session, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            broken(call, session, e);
        }
    }

    private void broken(ToolCall call, Session session, RuntimeException cause) {
        LOG.atError()
                .addKeyValue(LogContext.PROCESS_ID, call.processId())
                .addKeyValue(LogContext.PARTITION, context.partition())
                .addKeyValue(LogContext.EPOCH, session.link().claim().epoch())
                .addKeyValue(LogContext.TRACE_ID, call.span().traceId())
                .setCause(cause)
                .log("Failed to send a call");
        context.mailbox().post(() -> broken(call));
    }

    private void broken(ToolCall call) {
        context.services().metrics().failure(Where.CALL);
        if (call.stage() == CallStage.SENDING) {
            listener.refused(call, OwnAnswer.OUTCOME_UNKNOWN);
        }
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private ToolOrder.Execute order(ToolCall call) {
        var read = call.read();
        var extension = read.extension();
        var input = read.input();
        var question = call.isAsking() ? call.question() : null;
        // What progress had moved before an earlier session was lost stays moved.
        var deadline =
                question == null
                        ? call.deadline()
                        : call.sendBy().plusMillis(question.held().leftMs());
        var moved = Duration.between(read.deadline(), deadline);
        return new ToolOrder.Execute(
                context.partition(),
                read.origin(),
                call.processId(),
                read.request(),
                read.recordDeadline().plus(moved),
                read.reply(),
                call.span().traceparent(),
                (call.possibleRuns() > 0 || call.question() != null) ? true : null,
                extension == null ? null : read.recordDeadline().plus(extension.most()),
                input == null ? null : (Long) input.toMillis(),
                call.span().tracestate(),
                question == null ? null : question.resume());
    }

    private void executed(ToolCall call, Session session, ToolOrder.Accepted answer) {
        if (call.stage() != CallStage.SENDING) {
            return;
        }
        var answered = answer.answered();
        if (answered == null) {
            listener.happened(call, taken(session));
        } else {
            listener.turnedDown(call, answered);
        }
    }

    /**
     * Event of a request that a worker accepted. Where the session has ended before the acceptance
     * was read, no later event tells this request of that end.
     */
    private CallEvent taken(Session session) {
        var present = context.session();
        if (present == session) {
            return CallEvent.TAKEN;
        }
        return present != null && present.wasAttached() ? CallEvent.LOST : CallEvent.MAYBE_TAKEN;
    }

    private void failed(ToolCall call, Session session, LinkException failure) {
        if (call.stage() != CallStage.SENDING) {
            return;
        }
        switch (failure.reason()) {
            case LOST, FENCED, DETACHED, DRAINING -> {
                session.close();
                if (!failure.mayHaveRun()) {
                    listener.happened(call, CallEvent.NOT_RUN);
                } else if (failure.reason() == LinkException.Reason.LOST) {
                    listener.happened(call, CallEvent.LOST);
                } else {
                    listener.happened(call, CallEvent.MAYBE_TAKEN);
                }
            }
            case DEADLINE -> {
                if (failure.mayHaveRun()) {
                    listener.happened(call, taken(session));
                } else {
                    listener.refused(call, OwnAnswer.NOT_REACHED);
                }
            }
            case OVERLOADED -> listener.turnedDown(call, overloaded(call, failure));
            case TOO_LARGE -> listener.refused(call, OwnAnswer.TOO_LARGE);
            case REJECTED -> {
                context.services().metrics().failure(Where.CALL);
                listener.refused(
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

    private void cancel(RequestRead read, Session session, Runnable done, Runnable unsent) {
        var request = read.request();
        var order =
                new ToolOrder.Cancel(
                        context.partition(),
                        request.requestId(),
                        request.teamId(),
                        request.userId());
        try {
            var until = context.services().clock().instant().plus(CANCEL_WAIT);
            context.mailbox().post(session.link().cancel(order, until) ? done : unsent);
        } catch (LinkException e) {
            context.services().metrics().failure(Where.CANCEL);
            context.mailbox().post(unsent);
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("partition", context.partition())
                    .setCause(e)
                    .log("Cancellation given up");
            context.mailbox().post(done);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
