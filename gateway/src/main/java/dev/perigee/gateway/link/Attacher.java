package dev.perigee.gateway.link;

import dev.perigee.gateway.link.PartitionSession.AttachStep;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Attaches sessions on one connection, each on a virtual thread of its own, repeating where the
 * worker still waits for the old connection's detach.
 */
final class Attacher {
    private final LinkOptions options;
    private final LinkConnection connection;

    Attacher(LinkOptions options, LinkConnection connection) {
        this.options = options;
        this.connection = connection;
    }

    /** Begins to attach one session. */
    void attach(PartitionSession session) {
        begin(session, new CountDownLatch(1));
    }

    /**
     * Attaches all and waits until each is attached or over, or the time is up. Returns early when
     * the connection closes.
     */
    void attachAll(Collection<PartitionSession> sessions, long nanos) throws InterruptedException {
        var settled = new CountDownLatch(sessions.size());
        for (var session : sessions) {
            begin(session, settled);
        }
        var _ = settled.await(nanos, TimeUnit.NANOSECONDS);
    }

    private void begin(PartitionSession session, CountDownLatch settled) {
        Thread.ofVirtual()
                .name("link-attach-" + session.claim().partition())
                .start(
                        () -> {
                            try {
                                repeat(session);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            } finally {
                                settled.countDown();
                            }
                        });
    }

    private void repeat(PartitionSession session) throws InterruptedException {
        var timing = options.timing();
        var backoff =
                new FullJitterBackoff(
                        timing.backoffMin(),
                        timing.recoveryBackoffMax(),
                        ThreadLocalRandom.current());
        while (!connection.isClosed() && !session.isOver()) {
            var step = session.attach(connection, options.gatewayId(), timing.answerTimeout());
            if (step != AttachStep.AGAIN || connection.awaitClosed(backoff.next())) {
                return;
            }
        }
    }
}
