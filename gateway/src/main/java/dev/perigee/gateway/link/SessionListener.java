package dev.perigee.gateway.link;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice;
import java.util.OptionalLong;

/**
 * Listener of a partition's owner to its session. The calls never overlap and come in order, on
 * threads of the link (the connection's reader, for events): enqueue and return, everything else on
 * that worker waits. After {@link #fenced} or {@link #lost} nothing follows, and the {@link
 * PartitionLink} is dead.
 */
public interface SessionListener {
    /**
     * When the last commit or claim was sent that the group accepted: it renews leases. By {@link
     * System#nanoTime}; any thread, at any time.
     */
    OptionalLong heardAt();

    /**
     * The session is attached, for the first time or again; the events that this gateway does not
     * have yet follow.
     */
    void attached(Attach.Result result);

    /**
     * An entry of a journal. Each comes once, in the order of its process, also across reconnects.
     *
     * @param creditBytes what it took from the session's credit, to be handed back by {@link
     *     PartitionLink#credit} when the event needs no memory any more
     */
    void event(SessionNotice.InstanceEvent event, int creditBytes);

    /** The connection is gone; the link recovers. Calls wait, {@link #attached} may follow. */
    void suspended();

    /**
     * A higher epoch has the partition on the worker.
     *
     * @param byEpoch that epoch, or -1 when the worker did not say
     */
    void fenced(long byEpoch);

    /** The session is gone. */
    void lost(LinkFailure reason);
}
