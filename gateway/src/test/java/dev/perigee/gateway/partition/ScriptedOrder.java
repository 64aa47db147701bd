package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkException;
import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.link.LinkFailures;
import dev.perigee.gateway.link.PendingOrder;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.link.InstanceOrder;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An order about an instance, until the test says what the worker made of it. Thread-safe. */
final class ScriptedOrder implements PendingOrder {
    final String method;
    final Object order;
    private final Runnable onEnd;
    private final CompletableFuture<Said> said = new CompletableFuture<>();

    /** One of them. */
    private record Said(InstanceOrder.@Nullable Outcome outcome, @Nullable LinkException failure) {}

    ScriptedOrder(String method, Object order, Runnable onEnd) {
        this.method = method;
        this.order = order;
        this.onEnd = onEnd;
    }

    /** The instance that it is about. */
    String processId() {
        return switch (order) {
            case InstanceOrder.Apply apply -> apply.config().processId();
            case InstanceOrder.Simple simple -> simple.processId();
            case InstanceOrder.SwitchTool of -> of.order().processId();
            case InstanceOrder.HealthCheck check -> check.order().processId();
            default -> throw new IllegalStateException("No order of an instance: " + order);
        };
    }

    /** As the order that brings a configuration. */
    InstanceOrder.Apply apply() {
        return (InstanceOrder.Apply) order;
    }

    void complete() {
        end(CommandOutcome.COMPLETED, null);
    }

    void end(CommandOutcome how, @Nullable CommandError error) {
        say(new Said(new InstanceOrder.Outcome(processId(), how, null, error), null));
    }

    void fail(Reason reason) {
        say(new Said(null, LinkFailures.of(reason, false)));
    }

    private void say(Said what) {
        said.complete(what);
        onEnd.run();
    }

    @Override
    public InstanceOrder.Outcome await() throws LinkException, InterruptedException {
        return of(TestWaits.get(said));
    }

    @Override
    public InstanceOrder.Outcome take() throws LinkException {
        var what = said.getNow(null);
        if (what == null) {
            throw LinkFailures.of(Reason.DEADLINE, true);
        }
        return of(what);
    }

    private static InstanceOrder.Outcome of(Said what) throws LinkException {
        var outcome = what.outcome();
        if (outcome != null) {
            return outcome;
        }
        throw Objects.requireNonNull(what.failure());
    }
}
