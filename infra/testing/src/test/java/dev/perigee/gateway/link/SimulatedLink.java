package dev.perigee.gateway.link;

import dev.perigee.protocol.link.SessionNotice;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The link of one gateway to one worker, as its state machine decides, for simulations that have
 * both sides. Times are in milliseconds of the gateway's clock.
 */
public final class SimulatedLink {
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final LinkStateMachine machine = new LinkStateMachine(MARGIN);
    private final String workerId;
    private @Nullable String incarnation;
    private @Nullable Duration retention;
    private @Nullable Instant goneSince;
    private boolean dead;

    /** A link that was never established. */
    public SimulatedLink(String workerId) {
        this.workerId = workerId;
    }

    /** Numbers an attempt to connect. */
    public long begin() {
        return machine.beginAttempt();
    }

    /** The worker said hello; false when a newer attempt overtook this one. */
    public boolean established(long generation, String byIncarnation, Duration announced) {
        boolean taken =
                machine.established(generation, announced) == LinkStateMachine.Change.CONNECTED;
        if (taken) {
            incarnation = byIncarnation;
            retention = announced;
            goneSince = null;
            dead = false;
        }
        return taken;
    }

    /** Its connection closed. */
    public void closed(long generation, long nowMs) {
        if (machine.closed(generation, nowMs * 1_000_000) == LinkStateMachine.Change.SUSPENDED) {
            goneSince = Instant.ofEpochMilli(nowMs);
        }
    }

    /** True when the link was given up now. */
    public boolean expires(long nowMs) {
        return machine.expire(nowMs * 1_000_000) == LinkStateMachine.Change.FAILED;
    }

    /** The worker's process is proved dead; true when the link was given up now. */
    public boolean died() {
        dead = true;
        return machine.died() == LinkStateMachine.Change.DEAD;
    }

    /** Of the last hello; null before the first. */
    public @Nullable String incarnation() {
        return incarnation;
    }

    /** As placement sees it. */
    public WorkerView view() {
        return new WorkerView(
                URI.create("ws://" + workerId),
                incarnation == null ? null : workerId,
                incarnation,
                machine.state(),
                Instant.EPOCH,
                goneSince,
                retention,
                1,
                SessionNotice.Phase.SERVING,
                machine.state() == LinkState.CONNECTED ? null : "not reached",
                dead);
    }
}
