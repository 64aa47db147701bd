package dev.perigee.worker.session;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** State of one partition's session on a worker. Immutable, any thread. */
sealed interface SessionState {
    /** Of a worker that never had one. */
    static SessionState initial() {
        return new None(SessionStage.ABSENT, new Epochs(-1, -1));
    }

    /**
     * Fencing tokens of the partition, for the worker's life; -1 for none.
     *
     * @param seen the highest with which an owner asked to attach
     * @param held the highest with which one was attached
     */
    record Epochs(long seen, long held) {}

    /** No session. */
    record None(SessionStage stage, Epochs epochs) implements SessionState {}

    /**
     * A session that a gateway holds.
     *
     * @param deadline end of its hold and the retention
     */
    record Attached(SessionStage stage, Epochs epochs, Claimant holder, Hold hold, Instant deadline)
            implements SessionState {}

    /**
     * A session that waits for its next owner.
     *
     * @param holder the last owner
     */
    record Detached(SessionStage stage, Epochs epochs, Claimant holder, Instant deadline)
            implements SessionState {}

    SessionStage stage();

    Epochs epochs();

    /** When the session ends unless it is held longer; null when there is none. */
    default @Nullable Instant deadline() {
        return null;
    }

    /** The claim that holds it, or held it last; null when there is no session. */
    default @Nullable Claimant holder() {
        return null;
    }

    /** The attached connection, null when none is. */
    default @Nullable LinkPeer owner() {
        return this instanceof Attached attached ? attached.holder().peer() : null;
    }
}
