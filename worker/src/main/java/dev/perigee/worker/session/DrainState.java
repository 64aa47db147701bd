package dev.perigee.worker.session;

import dev.perigee.protocol.link.SessionNotice;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Drain state of a worker: whether it takes sessions. Each change increments the version, so that a
 * receiver of two knows which is newer. Pure.
 *
 * <pre>
 *              drain                  nothing is left
 *   Serving ───────────▶ Draining ───────────────────▶ Drained
 *      ▲                  │    │                        │   │
 *      └──────────────────┴────┼──── undo ──────────────┘   │
 *                              └──▶ Stopping ◀──────────────┘   stop, also from Serving; for good
 * </pre>
 *
 * @param reason why it drains, null while it does not
 * @param deadline until when partitions are asked to leave
 */
public record DrainState(
        Phase phase, long version, @Nullable String reason, @Nullable Instant deadline) {

    /** Phases of the drain. */
    public enum Phase {
        /** It takes them. */
        SERVING,
        /** It takes none and waits for those it has to leave. */
        DRAINING,
        /** It has none and takes none. */
        DRAINED,
        /** It takes none and ends after the deadline, with those it has then. */
        STOPPING
    }

    static final DrainState SERVING = new DrainState(Phase.SERVING, 0, null, null);

    /** Starts the drain, or extends it with a new deadline. */
    DrainState drain(String why, Instant until) {
        return switch (phase) {
            case SERVING -> next(Phase.DRAINING, why, until);
            case DRAINING, DRAINED -> new DrainState(phase, version, reason, until);
            case STOPPING -> this;
        };
    }

    /** Leaves for good. */
    DrainState stop(String why, Instant until) {
        return switch (phase) {
            case SERVING, DRAINING, DRAINED -> next(Phase.STOPPING, why, until);
            case STOPPING -> this;
        };
    }

    /** Takes sessions again. */
    DrainState undo() {
        return switch (phase) {
            case DRAINING, DRAINED -> next(Phase.SERVING, null, null);
            case SERVING, STOPPING -> this;
        };
    }

    /** What is left was counted. */
    DrainState left(int partitions) {
        return phase == Phase.DRAINING && partitions == 0
                ? next(Phase.DRAINED, reason, deadline)
                : this;
    }

    /** Whether sessions are created. */
    public boolean takesSessions() {
        return phase == Phase.SERVING;
    }

    /** The notification to gateways. */
    SessionNotice.Draining notice() {
        return new SessionNotice.Draining(
                reason == null ? "the worker takes sessions again" : reason,
                version,
                switch (phase) {
                    case SERVING -> SessionNotice.Phase.SERVING;
                    case DRAINING, DRAINED -> SessionNotice.Phase.DRAINING;
                    case STOPPING -> SessionNotice.Phase.STOPPING;
                });
    }

    private DrainState next(Phase to, @Nullable String why, @Nullable Instant until) {
        return new DrainState(to, version + 1, why, until);
    }
}
