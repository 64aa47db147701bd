package dev.perigee.worker.session;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Events of a partition's session. */
sealed interface SessionEvent {

    /** Something that a connection asks for, or that happens to it. */
    sealed interface OfConnection extends SessionEvent {
        LinkPeer by();

        /** The claim that is meant, null for whichever is attached. */
        default @Nullable Long epoch() {
            return null;
        }
    }

    /**
     * A gateway attaches.
     *
     * @param create whether a session is to be created where there is none
     * @param hold until when it holds the session without a further ping or lease
     * @param takesNew whether the worker creates sessions
     */
    record Attach(Claimant by, boolean create, Hold hold, boolean takesNew)
            implements SessionEvent {}

    /** A gateway says until when its lease lasts. */
    record Extend(LinkPeer by, Long epoch, Instant leaseEnd) implements OfConnection {}

    /**
     * A gateway answered a ping.
     *
     * @param linkEnd until when it holds its sessions thereby
     */
    record Answer(LinkPeer by, Instant linkEnd) implements OfConnection {}

    /** A gateway gives a claim up. */
    record Detach(LinkPeer by, Long epoch) implements OfConnection {}

    /** A connection is gone. */
    record Close(LinkPeer by) implements OfConnection {}

    /**
     * A connection asks for something of the session.
     *
     * @param serving whether that needs a session that goes on
     */
    record Order(LinkPeer by, boolean serving) implements OfConnection {}

    /**
     * A gateway asks to end the session.
     *
     * @param keep whether it shall stay for what runs in it
     */
    record Release(LinkPeer by, boolean keep) implements OfConnection {}

    /** The worker gives the session up. */
    record Leave() implements SessionEvent {}

    /** The processes are gone and everything they said is acknowledged. */
    record Flushed() implements SessionEvent {}

    /** The worker ends. */
    record Stop() implements SessionEvent {}

    /** The processes of the session that ended are gone. */
    record Cleared() implements SessionEvent {}

    /** Time has passed. */
    record Look() implements SessionEvent {}
}
