package dev.perigee.worker.mcp;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The one session of a client: made when it is needed, on the thread that needs it, while others
 * wait for the same one; made anew when it was lost or the server's address changed.
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
    private @Nullable CompletableFuture<HttpSession> making;
    private boolean closed;

    /** Makes a session, handshake included. */
    interface Maker {
        HttpSession make(long deadlineNanos) throws McpException, InterruptedException;
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
            CompletableFuture<HttpSession> flight;
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
                    making = new CompletableFuture<>();
                    mine = true;
                }
                flight = making;
            }
            if (outdated != null) {
                outdated.retire();
            }
            if (mine) {
                return make(flight, deadlineNanos);
            }
            await(flight, deadlineNanos);
        }
    }

    private HttpSession make(CompletableFuture<HttpSession> flight, long deadlineNanos)
            throws McpException, InterruptedException {
        HttpSession made = null;
        McpException why = null;
        try {
            made = maker.make(deadlineNanos);
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
                flight.complete(made);
            } else {
                flight.completeExceptionally(why == null ? outOfTime() : why);
            }
        }
    }

    /** Waits for another thread's attempt; one that only lacked time does not count. */
    private static void await(CompletableFuture<HttpSession> flight, long deadlineNanos)
            throws McpException, InterruptedException {
        long left = deadlineNanos - System.nanoTime();
        try {
            flight.get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw outOfTime();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof McpException why)) {
                throw new IllegalStateException(e.getCause());
            }
            if (why.kind() != McpException.Kind.TIMEOUT || deadlineNanos - System.nanoTime() <= 0) {
                throw why;
            }
        }
    }

    static McpException outOfTime() {
        return new McpException(
                McpException.Kind.TIMEOUT,
                false,
                "Request timeout: there was no session with the server in time");
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
