package dev.perigee.worker.session;

import dev.perigee.protocol.link.LinkError;
import dev.perigee.worker.session.SessionTransitions.Step;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A session whose processes end at once, as its table decides; for simulations on one thread. The
 * deadline comes before each event, as on a worker.
 */
final class SessionRun {

    /** A connection that nothing is said to. */
    record Connection(String gatewayId, long number) implements LinkPeer {
        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public Duration holds() {
            return Duration.ofDays(1);
        }

        @Override
        public @Nullable String stays() {
            return null;
        }

        @Override
        public void attached(long requestId, Object result) {}

        @Override
        public void tell(String method, Object params) {}

        @Override
        public int awaitRoom(int bytes) {
            return bytes;
        }

        @Override
        public void returnRoom(int reserved) {}

        @Override
        public boolean sendEvent(byte[] frame, int reserved) {
            return true;
        }

        @Override
        public void flush() {}
    }

    /** Of a connection whose pings are answered whenever that matters. */
    static final Instant FAR = Instant.parse("2100-01-01T00:00:00Z");

    private final Duration retention;
    private SessionState state = SessionState.initial();

    SessionRun(Duration retention) {
        this.retention = retention;
    }

    /** One connection of a gateway for each generation. */
    static Claimant claimant(String gateway, long epoch, long generation) {
        return new Claimant(new Connection(gateway, generation), epoch, generation);
    }

    Step take(SessionEvent event, Instant now) {
        var _ = expire(now);
        return step(event, now);
    }

    /** Ends it if its deadline has come; true when it ended now. */
    boolean expire(Instant now) {
        var looked = step(new SessionEvent.Look(), now);
        boolean ended = looked.before().stage().exists() && !looked.after().stage().exists();
        if (ended) {
            step(new SessionEvent.Cleared(), now);
        }
        return ended;
    }

    private Step step(SessionEvent event, Instant now) {
        var step = SessionTransitions.next(state, event, now, retention);
        state = step.after();
        return step;
    }

    /** Attaches; what it leads to is in the step. */
    Step attach(Claimant claimant, boolean create, @Nullable Instant leaseEnd, Instant now) {
        return attachHeld(claimant, create, new Hold(leaseEnd, FAR), now);
    }

    /** The same, of a connection whose pings may not be answered. */
    Step attachHeld(Claimant claimant, boolean create, Hold hold, Instant now) {
        return take(new SessionEvent.Attach(claimant, create, hold, true), now);
    }

    /** The attached connection leaves. */
    void detach(Instant now) {
        var owner = state.owner();
        if (owner != null) {
            take(new SessionEvent.Close(owner), now);
        }
    }

    /** The attached gateway extends its lease. */
    void extend(Instant leaseEnd, Instant now) {
        var owner = state.owner();
        if (owner != null) {
            take(new SessionEvent.Extend(owner, state.epochs().held(), leaseEnd), now);
        }
    }

    /** The attached gateway answers a ping. */
    void answer(Instant linkEnd, Instant now) {
        var owner = state.owner();
        if (owner != null) {
            take(new SessionEvent.Answer(owner, linkEnd), now);
        }
    }

    /** Why a step was refused, null when it was not. */
    static @Nullable LinkError refusal(Step step) {
        var refusal = step.taken().refusal();
        return refusal == null ? null : refusal.error();
    }

    SessionState state() {
        return state;
    }

    boolean exists() {
        return state.stage().exists();
    }

    @Nullable Claimant attached() {
        return state.stage().isAttached() ? state.holder() : null;
    }
}
