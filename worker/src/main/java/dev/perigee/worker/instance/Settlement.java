package dev.perigee.worker.instance;

import dev.perigee.protocol.link.InstanceOrder.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Outcome of an order: the first that the supervisor sets counts. After 15 minutes it is the
 * failure {@code internal}. Safe for use by any thread.
 */
final class Settlement implements PendingOutcome {
    /** Beyond every timeout that an order can run into; reached only by a defect. */
    private static final Duration LIMIT = Duration.ofMinutes(15);

    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    Settlement(String processId) {
        var unended =
                Outcomes.failed(
                        processId,
                        null,
                        "internal",
                        "The order did not end within " + LIMIT.toMinutes() + " minutes");
        var _ = outcome.completeOnTimeout(unended, LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private Settlement(Outcome outcome) {
        complete(outcome);
    }

    static Settlement of(Outcome outcome) {
        return new Settlement(outcome);
    }

    /** The first outcome counts. */
    void complete(Outcome how) {
        outcome.complete(how);
    }

    @Override
    public void whenEnded(Consumer<Outcome> then) {
        var _ = outcome.thenAccept(then);
    }
}
