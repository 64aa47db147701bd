package dev.perigee.gateway.link;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last connection on which a worker was asked for a session: until its end the worker may have
 * held it. Any thread may call.
 */
final class LastAsked {
    private @Nullable LinkConnection connection;
    private @Nullable Instant endedAt;

    /** It is to be asked now; false where that is in vain, or a newer connection has its turn. */
    synchronized boolean begin(LinkConnection via) {
        var before = connection;
        boolean late = before != null && before.generation() > via.generation();
        if (late || via.isClosed()) {
            return false;
        }
        connection = via;
        endedAt = null;
        return true;
    }

    /** A connection closed. */
    synchronized void ended(LinkConnection closed) {
        if (closed.equals(connection)) {
            endedAt = SteadyTime.now();
        }
    }

    /** When the last one ended; null while it is open, or where there was none. */
    synchronized @Nullable Instant endedAt() {
        return endedAt;
    }
}
