package dev.perigee.worker.session;

import dev.perigee.protocol.trace.LogContext;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * End of a session's processes, on a virtual thread of its own and within a limit. Waiters are
 * released after everything else is done.
 */
final class SessionEnding {
    private static final Logger log = LoggerFactory.getLogger(SessionEnding.class);

    private final CountDownLatch done = new CountDownLatch(1);
    private final Runnable whenDone;

    private SessionEnding(Runnable whenDone) {
        this.whenDone = whenDone;
    }

    static SessionEnding start(
            int partition, HostedSession session, Duration limit, Runnable whenDone) {
        var ending = new SessionEnding(whenDone);
        Thread.ofVirtual()
                .name("session-end-" + partition)
                .start(() -> ending.run(partition, session, limit));
        return ending;
    }

    private void run(int partition, HostedSession session, Duration limit) {
        try {
            session.terminate(limit);
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue(LogContext.PARTITION, partition)
                    .addKeyValue(LogContext.EPOCH, session.epoch())
                    .setCause(e)
                    .log("Ending the session's processes failed");
        } finally {
            try {
                whenDone.run();
            } finally {
                done.countDown();
            }
        }
    }

    /** Waits until the processes are gone; false when the time was over first. */
    boolean await(Duration limit) throws InterruptedException {
        return done.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
}
