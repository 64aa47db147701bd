package dev.perigee.worker.session;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Hold of an attached gateway on a session: moments of the deadlines' clock at which its lease and
 * its connection end. Immutable, any thread.
 *
 * <p>An open connection proves little: a worker that was frozen finds it open, and what lies in its
 * socket may be old. A ping that is answered proves that the gateway had the connection when the
 * ping was sent, or later.
 *
 * @param lease end of its lease; null for a gateway that has none to lose
 * @param link as long after the last ping that it answered was sent as a connection may be silent
 */
record Hold(@Nullable Instant lease, Instant link) {

    /** The earlier end. */
    Instant end() {
        return lease == null || link.isBefore(lease) ? link : lease;
    }

    /** With a lease that lasts at least until then. */
    Hold extended(Instant until) {
        return lease == null || lease.isBefore(until) ? new Hold(until, link) : this;
    }

    /** With a connection that is alive at least until then. */
    Hold answered(Instant until) {
        return link.isBefore(until) ? new Hold(lease, until) : this;
    }
}
