package dev.perigee.worker.instance;

import dev.perigee.protocol.link.InstanceOrder.Outcome;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of an order: the first that the supervisor sets counts. Any thread may wait for it, 15
 * minutes at most, after which the outcome is the failure {@code internal}.
 */
final class Settlement implements PendingOutcome {
    /** Beyond every timeout that an order can run into; reached only by a defect. */
    private static final Duration LIMIT = Duration.ofMinutes(15);

    private final String processId;
    private final CountDownLatch done = new CountDownLatch(1);
    private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();

    Settlement(String processId) {
        this.processId = processId;
    }

    static Settlement of(Outcome outcome) {
        var settlement = new Settlement(outcome.processId());
        settlement.complete(outcome);
        return settlement;
    }

    /** The first outcome counts. */
    void complete(Outcome how) {
        if (outcome.compareAndSet(null, how)) {
            done.countDown();
        }
    }

    @Override
    public Outcome await() throws InterruptedException {
        if (!done.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            complete(
                    Outcomes.failed(
                            processId,
                            null,
                            "internal",
                            "The order did not end within " + LIMIT.toMinutes() + " minutes"));
        }
        var how = outcome.get();
        if (how == null) {
            throw new IllegalStateException("a settlement was released without an outcome");
        }
        return how;
    }
}
