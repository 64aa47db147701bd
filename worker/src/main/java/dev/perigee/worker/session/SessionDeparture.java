package dev.perigee.worker.session;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session's end that is asked for, on a thread of its own: its processes are ended, and when a
 * gateway has acknowledged everything they said the session is over. A gateway that goes away
 * meanwhile is waited for as long as the session is retained; the next one hears the rest.
 */
final class SessionDeparture {
    private static final Logger log = LoggerFactory.getLogger(SessionDeparture.class);
    private static final Duration LOOK = Duration.ofSeconds(10);

    private final PartitionSlot slot;
    private final PartitionSession session;
    private final SessionContext context;
    private volatile boolean terminated;

    private SessionDeparture(PartitionSlot slot, PartitionSession session, SessionContext context) {
        this.slot = slot;
        this.session = session;
        this.context = context;
    }

    static SessionDeparture start(
            PartitionSlot slot, PartitionSession session, SessionContext context) {
        var departure = new SessionDeparture(slot, session, context);
        Thread.ofVirtual().name("session-departure-" + slot.partition()).start(departure::run);
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
                    .addKeyValue("partition", slot.partition())
                    .setCause(e)
                    .log("Ending the session's processes failed");
        }
        terminated = true;
        context.acknowledged().happened();
        try {
            while (slot.session() == session) {
                if (context.acknowledged().await(this::isOver, LOOK)) {
                    slot.departed(session);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOver() {
        return session.journalEntries() == 0 || slot.session() != session;
    }
}
