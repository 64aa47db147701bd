package dev.perigee.worker.session;

import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Attached connection as its session sees it. Safe for use by any thread. */
interface LinkPeer {

    /** The gateway, as it said in {@code link/hello}. */
    String gatewayId();

    /** The version of the link that is spoken with it, of {@link LinkVersions#SPOKEN}. */
    default int protocol() {
        return LinkVersions.SPOKEN.greatest();
    }

    /** False once the connection is closed; its sessions are detached after that is so. */
    boolean isOpen();

    /**
     * How much longer it holds its sessions, by the last ping that was answered; not positive when
     * that is over.
     */
    Duration holds();

    /** Why it does not move its partitions from a worker that drains, null when it does. */
    @Nullable String stays();

    /**
     * Answers an attach, behind all events that were taken: those of the feed before it on this
     * connection would otherwise look like the new one's. Dropped when closed. Does not wait.
     */
    void attached(long requestId, Object result);

    /**
     * Sends the gateway a notification, ahead of all events; dropped when closed. Does not wait.
     */
    void tell(String method, Object params);

    /**
     * Takes room for an event, and waits for it.
     *
     * @return the reservation, for {@link #sendEvent} or {@link #returnRoom}
     */
    int awaitRoom(int bytes) throws InterruptedException;

    /** Gives room back that no event used. */
    void returnRoom(int reserved);

    /**
     * Takes an event, to be sent by the next {@link #flush} after those that are queued. Does not
     * wait.
     *
     * @return false when the connection is closed
     */
    boolean sendEvent(byte[] frame, int reserved);

    /** The result of a request is among the events that were taken. Does not wait. */
    default void resultTaken(RecordOrigin request) {}

    /** Sends the events that were taken. Does not wait. */
    void flush();
}
