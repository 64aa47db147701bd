package dev.perigee.worker.mcp;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The one session of a client: made when it is needed, on the thread that needs it, while others
 * wait for the same one; recreated when it was lost or the server's address changed.
 *
 * <pre>
 *   none ──get──► making ──made──► current ──dropped, unusable, other url──► none
 *     ▲              │                │
 *     └───failed─────┘              close ──► closed
 * </pre>
 */
final class HttpSessions {
    private final Maker maker;
    private @Nullable HttpSession current;
    private @Nullable Flight making;
    private boolean closed;

    /** An attempt of one thread, until its own deadline, that others wait for. */
    private record Flight(CompletableFuture<HttpSession> session, long deadlineNanos) {
        boolean isOver() {
            return deadlineNanos - System.nanoTime() <= 0;
        }
    }

    /** Makes sessions, for any thread. */
    interface Maker {
        /** Makes a session, handshake included. */
        HttpSession make(long deadlineNanos) throws McpException, InterruptedException;

        /** Why the session that another thread makes is not there in time. */
        McpException outOfTime();
    }

    HttpSessions(Maker maker) {
        this.maker = maker;
    }

    /**
     * The session with this address.
     *
     * @throws McpException when there is none in time; whatever was to be sent was not
     */
    HttpSession get(String url, long deadlineNanos) throws McpException, InterruptedException {
        while (true) {
            Flight flight;
            boolean mine = false;
            HttpSession outdated = null;
            synchronized (this) {
                if (closed) {
                    throw new McpException(McpException.Kind.CLOSED, false, "The client is closed");
                }
                if (current != null && current.isUsable(url)) {
                    return current;
                }
                if (making == null) {
                    outdated = current;
                    current = null;
                    making = new Flight(new CompletableFuture<>(), deadlineNanos);
                    mine = true;
                }
                flight = making;
            }
            if (outdated != null) {
                outdated.retire();
            }
            if (mine) {
                return make(flight);
            }
            await(flight, deadlineNanos);
        }
    }

    private HttpSession make(Flight flight) throws McpException, InterruptedException {
        HttpSession made = null;
        McpException why = null;
        try {
            made = maker.make(flight.deadlineNanos());
            return made;
        } catch (McpException e) {
            why = e.beforeSending();
            throw why;
        } finally {
            boolean late;
            synchronized (this) {
                making = null;
                late = closed;
                current = late ? null : made;
            }
            if (made != null && late) {
                made.retire();
            }
            if (made != null) {
                flight.session().complete(made);
            } else {
                flight.session()
                        .completeExceptionally(why == null ? HttpFailures.noSession() : why);
            }
        }
    }

    /** Waits for another thread's attempt; one that only lacked time does not count. */
    private void await(Flight flight, long deadlineNanos)
            throws McpException, InterruptedException {
        long left = deadlineNanos - System.nanoTime();
        try {
            flight.session().get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw maker.outOfTime();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof McpException why)) {
                throw new IllegalStateException(e.getCause());
            }
            boolean lackedTime = why.kind() == McpException.Kind.TIMEOUT || flight.isOver();
            if (!lackedTime || deadlineNanos - System.nanoTime() <= 0) {
                throw why;
            }
        }
    }

    /** Its credentials are outdated: what is under way in it goes on, nothing else does. */
    void outdate(HttpSession outdated) {
        synchronized (this) {
            if (current == outdated) {
                current = null;
            }
        }
        outdated.retire();
    }

    /** The server has forgotten the session. */
    void drop(HttpSession lost) {
        synchronized (this) {
            if (current == lost) {
                current = null;
            }
        }
        lost.abandon();
    }

    /** Ends the session, and there is none any more. */
    void close(Duration limit) {
        HttpSession last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
        }
        if (last != null) {
            last.close(limit);
        }
    }
}
