package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkException;
import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.link.LinkFailures;
import dev.perigee.gateway.link.PendingAcceptance;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolResult;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A call that an owner sent, until the test says what the worker made of it. Thread-safe. */
final class ScriptedCall implements PendingAcceptance {
    final ToolOrder.Execute order;
    private final Runnable onEnd;
    private final CompletableFuture<Said> said = new CompletableFuture<>();

    /** One of them. */
    private record Said(ToolOrder.@Nullable Accepted accepted, @Nullable LinkException failure) {}

    ScriptedCall(ToolOrder.Execute order, Runnable onEnd) {
        this.order = order;
        this.onEnd = onEnd;
    }

    String requestId() {
        return order.request().requestId();
    }

    void accept() {
        say(new Said(new ToolOrder.Accepted(null), null));
    }

    void answer(ToolResult result) {
        say(new Said(new ToolOrder.Accepted(result), null));
    }

    void fail(Reason reason, boolean mayHaveRun) {
        say(new Said(null, LinkFailures.of(reason, mayHaveRun)));
    }

    private void say(Said what) {
        said.complete(what);
        onEnd.run();
    }

    /** For who waits. */
    ToolOrder.Accepted await() throws LinkException, InterruptedException {
        return of(TestWaits.get(said));
    }

    @Override
    public ToolOrder.Accepted take() throws LinkException {
        var what = said.getNow(null);
        if (what == null) {
            throw LinkFailures.of(Reason.DEADLINE, true);
        }
        return of(what);
    }

    private static ToolOrder.Accepted of(Said what) throws LinkException {
        var accepted = what.accepted();
        if (accepted != null) {
            return accepted;
        }
        throw Objects.requireNonNull(what.failure());
    }
}
