package dev.perigee.worker.session;

import dev.perigee.protocol.trace.LogContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requested end of a session, on a virtual thread of its own: its processes are ended, and once a
 * gateway has acknowledged all entries the session is over. Without a gateway it lasts until the
 * session's deadline, as of any other; the next gateway gets the remaining entries.
 */
final class SessionDeparture {
    private static final Logger log = LoggerFactory.getLogger(SessionDeparture.class);
    private static final Duration LOOK = Duration.ofSeconds(10);

    private final int partition;
    private final HostedSession session;
    private final SessionContext context;
    private final Runnable whenFlushed;
    private volatile boolean terminated;

    private SessionDeparture(
            int partition, HostedSession session, SessionContext context, Runnable whenFlushed) {
        this.partition = partition;
        this.session = session;
        this.context = context;
        this.whenFlushed = whenFlushed;
    }

    /**
     * Begins one.
     *
     * @param whenFlushed runs when its processes are gone and all that they said is acknowledged
     */
    static SessionDeparture start(
            int partition, HostedSession session, SessionContext context, Runnable whenFlushed) {
        var departure = new SessionDeparture(partition, session, context, whenFlushed);
        Thread.ofVirtual().name("session-departure-" + partition).start(departure::run);
        return departure;
    }

    /** Whether the processes are gone. */
    boolean isTerminated() {
        return terminated;
    }

    private void run() {
        try {
            session.terminate(context.options().terminationLimit());
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue(LogContext.PARTITION, partition)
                    .setCause(e)
                    .log("Ending the session's processes failed");
        }
        terminated = true;
        context.acknowledged().happened();
        try {
            while (!session.isOver()) {
                if (context.acknowledged().await(this::isFlushed, LOOK)) {
                    whenFlushed.run();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isFlushed() {
        return session.journalEntries() == 0 || session.isOver();
    }
}
