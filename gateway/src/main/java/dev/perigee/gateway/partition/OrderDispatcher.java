package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkException;
import dev.perigee.gateway.link.PendingOrder;
import dev.perigee.gateway.partition.GatewayMetrics.Where;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends the orders of accepted commands in the order of their records and gathers the outcomes in
 * the order in which they come. What a lost session left open is sent again to the next one, in
 * order, where the worker recognises it by its origin. For the owner's thread.
 */
final class OrderDispatcher {
    private static final Duration ROOM_WAIT = Duration.ofSeconds(1);

    /** Told when all of a command's orders have ended. */
    interface Ended {
        void ended(RunningCommand command) throws InterruptedException;
    }

    private final PartitionContext context;
    private final Quarantine quarantine;
    private final Ended ended;
    private final TreeMap<Long, RunningCommand> running = new TreeMap<>();

    OrderDispatcher(PartitionContext context, Quarantine quarantine, Ended ended) {
        this.context = context;
        this.quarantine = quarantine;
        this.ended = ended;
    }

    void add(RunningCommand command) throws InterruptedException {
        running.put(command.read().origin().offset(), command);
        send(command);
    }

    /** True while a command is about to remove this instance. */
    boolean isRemoving(String processId) {
        return running.values().stream().anyMatch(command -> command.isRemoving(processId));
    }

    /** Sends what waits for a session. */
    void sendAll() throws InterruptedException {
        for (var command : List.copyOf(running.values())) {
            send(command);
        }
    }

    private void send(RunningCommand command) throws InterruptedException {
        var session = context.serving();
        if (session == null) {
            return;
        }
        for (var part : command.takeUnsent()) {
            var heldBack = quarantine.of(part.target());
            noteAwake(session, part, heldBack != null);
            var target = part.target();
            var known = context.state().runtime(target.processId());
            var payload = OrderPayload.of(command.read(), part.step(), target, known, heldBack);
            var deadline =
                    context.services().clock().instant().plus(context.services().times().command());
            try {
                new Sent(command, part, session, heldBack != null).begin(payload, deadline);
            } catch (LinkException e) {
                failed(command, part, session, e);
            }
        }
    }

    private void noteAwake(Session session, RunningCommand.Part part, boolean heldBack) {
        var processId = part.step().processId();
        var now = context.services().clock().instant();
        if (heldBack || part.target().isStopped()) {
            return;
        }
        if (part.step().startsAnew()) {
            session.awake().given(processId, true, now);
        } else if (part.step().order() instanceof CommandPlan.ApplyOrder) {
            session.awake().woken(processId, now);
        }
    }

    /** An order that was sent, until its outcome or its deadline. */
    private final class Sent {
        private final RunningCommand command;
        private final RunningCommand.Part part;
        private final Session session;
        private final boolean heldBack;
        private @Nullable PendingOrder pending;
        private Timers.@Nullable Entry deadline;

        Sent(RunningCommand command, RunningCommand.Part part, Session session, boolean heldBack) {
            this.command = command;
            this.part = part;
            this.session = session;
            this.heldBack = heldBack;
        }

        void begin(OrderPayload payload, Instant until) throws LinkException, InterruptedException {
            pending =
                    session.link()
                            .submit(
                                    payload.method(),
                                    payload.order(),
                                    until,
                                    () -> context.mailbox().post(this::ended));
            deadline = context.timers().at(until, this::ended);
        }

        private void ended() {
            var taken = pending;
            if (taken == null) {
                return;
            }
            pending = null;
            if (deadline != null) {
                deadline.cancel();
            }
            try {
                var outcome = taken.take();
                if (isAtRest(part, outcome, heldBack)) {
                    session.awake().asleep(part.step().processId());
                }
                end(command, part, outcome);
            } catch (LinkException e) {
                failed(command, part, session, e);
            }
        }
    }

    /** Whether the worker has ended it, and nothing newer starts it again. */
    private boolean isAtRest(RunningCommand.Part part, Outcome outcome, boolean heldBack) {
        if (heldBack) {
            return quarantine.of(part.target()) != null;
        }
        var wanted = context.state().instance(part.step().processId());
        return outcome.outcome() == CommandOutcome.COMPLETED
                && part.target().isStopped()
                && wanted != null
                && wanted.isStopped();
    }

    private void failed(
            RunningCommand command,
            RunningCommand.Part part,
            Session session,
            LinkException failure) {
        switch (failure.reason()) {
            case FENCED, LOST, DETACHED, DRAINING -> {
                session.close();
                command.sendAgain(part);
                InterruptDeferral.run(() -> send(command));
            }
            case OVERLOADED -> overloaded(command, part, failure);
            case DEADLINE -> end(command, part, failure(part, "unavailable", failure));
            case TOO_LARGE -> end(command, part, failure(part, "invalid", failure));
            case REJECTED -> {
                context.services().metrics().failure(Where.ORDER);
                end(command, part, failure(part, "internal", failure));
            }
        }
    }

    /** The worker has no room now: the order is sent again, as long as a command may take. */
    private void overloaded(
            RunningCommand command, RunningCommand.Part part, LinkException failure) {
        var services = context.services();
        var giveUp = command.acceptedAt().plus(services.times().command());
        if (giveUp.isBefore(services.clock().instant())) {
            end(command, part, failure(part, "unavailable", failure));
        } else {
            command.sendAgain(part);
            context.timers().after(ROOM_WAIT, () -> InterruptDeferral.run(() -> send(command)));
        }
    }

    private void end(RunningCommand command, RunningCommand.Part part, Outcome outcome) {
        command.ended(part, outcome);
        if (command.hasEnded() && running.remove(command.read().origin().offset()) != null) {
            InterruptDeferral.run(() -> ended.ended(command));
        }
    }

    private static Outcome failure(RunningCommand.Part part, String code, LinkException failure) {
        var message = failure.getMessage();
        return new Outcome(
                part.step().processId(),
                CommandOutcome.FAILED,
                null,
                new CommandError(code, message == null ? code : message));
    }
}
