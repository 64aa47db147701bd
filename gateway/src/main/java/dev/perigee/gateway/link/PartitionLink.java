package dev.perigee.gateway.link;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One partition's session on a worker. It outlives connections: a call that is in flight when one
 * breaks is resolved or sent again after the next attach, a call made meanwhile waits, each bounded
 * by its own deadline. Any thread may call; the blocking methods belong on virtual threads.
 */
public interface PartitionLink {
    PartitionClaim claim();

    String workerId();

    /** The version of the link with the worker; the first one before the session is attached. */
    int protocol();

    /**
     * When the last connection ended on which the worker was asked for the session, so that it may
     * have held it for this gateway until then; null while there is one, or it was never asked.
     */
    @Nullable Instant heldUntil();

    /**
     * Takes a tool request if it can be sent at once, and sends it at the next {@link #flush}, so
     * that requests that came together go together; never waits.
     *
     * @param onEnd runs once when the worker accepted or answered it or the session is gone, on any
     *     thread, perhaps before this returns: it must not wait
     * @return null when it cannot: {@link #execute} says why, or waits
     */
    @Nullable PendingAcceptance offer(ToolOrder.Execute order, Runnable onEnd);

    /** Sends what was offered; never waits. */
    void flush();

    /**
     * Sends a tool request and waits until the worker accepted or answered it. A worker that is
     * overloaded is asked again until the deadline is near.
     *
     * @throws LinkException when the worker gave no answer
     */
    ToolOrder.Accepted execute(ToolOrder.Execute order, Instant deadline)
            throws LinkException, InterruptedException;

    /**
     * Sends an order of one instance. Orders reach the worker in the order in which they are
     * submitted, also when they are sent again after a resume. Blocks only while the connection's
     * send buffer is full.
     *
     * @param method one of {@link dev.perigee.protocol.link.LinkMethod}'s {@code instance/} names
     * @param order the {@link dev.perigee.protocol.link.InstanceOrder} that the method takes
     * @param onEnd runs once when the worker answered it or the session is gone, for several orders
     *     in the order in which they ended, on any thread, perhaps before this returns: it must not
     *     wait
     * @throws LinkException when the session is gone already or the order is too large
     */
    PendingOrder submit(String method, Object order, Instant deadline, Runnable onEnd)
            throws LinkException, InterruptedException;

    /** The same, for who waits. */
    default PendingOrder submit(String method, Object order, Instant deadline)
            throws LinkException, InterruptedException {
        return submit(method, order, deadline, () -> {});
    }

    /**
     * Asks the worker to cancel a request, whose result still comes as an event.
     *
     * @return whether there was something to cancel
     * @throws LinkException when the worker gave no answer
     */
    boolean cancel(ToolOrder.Cancel order, Instant deadline)
            throws LinkException, InterruptedException;

    /**
     * Tells the worker what is durable. Cumulative; never blocks. While suspended the newest of
     * each process is kept and told after the next attach.
     */
    void ack(SessionNotice.Ack ack);

    /** Hands back credit of events; never blocks. */
    void credit(long bytes);

    /** Sends the committed offset, below which no record is sent again; never blocks. */
    void committed(String topic, long offset);

    /**
     * Asks the worker to end the session for good and waits for its answer. When it says that the
     * session ends, {@link SessionListener#lost} follows with {@link LinkFailure#ENDED} as soon as
     * the processes are gone and all they said is acknowledged.
     *
     * @param onlyIdle to leave everything as it is when a process lives or a request runs
     * @throws LinkException when the worker gave no answer
     */
    Attach.Released release(boolean onlyIdle, Instant deadline)
            throws LinkException, InterruptedException;

    /**
     * Asks for the worker's one place for an instance that starts alone, or gives it back, and
     * waits for the answer.
     *
     * @param processId the instance that is to start; null to give the place back
     * @param atMost how long the place is kept at most
     * @return whether the place is this session's
     * @throws LinkException when the worker gave no answer; {@link LinkException.Reason#REJECTED}
     *     when it knows no such place
     */
    boolean trial(@Nullable String processId, Duration atMost, Instant deadline)
            throws LinkException, InterruptedException;

    /**
     * Leaves the session and waits, bounded, until the worker knows. Calls that wait are released
     * with {@link LinkException.Reason#DETACHED}; at most a listener call that is under way is
     * still finished. Never throws: where the worker cannot be told its retention ends the session.
     *
     * @param handOff true when another gateway is expected at once
     */
    void detach(boolean handOff, Duration deadline);

    /**
     * Leaves the session without a detach: the worker keeps it until the lease that it was granted,
     * and then the retention, have ended. Never waits.
     */
    void abandon();
}
