package dev.perigee.gateway;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the brokers for a sign of life every two seconds, so that health can say since when there is
 * none. Nothing else follows from it: every client of the gateway waits and comes back on its own.
 */
final class BrokerWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final int ANSWER_MS = 4_000;

    private final Admin admin;
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = Thread.ofVirtual().name("watch-broker").unstarted(this::watch);
    private volatile @Nullable Instant awaySince;

    BrokerWatch(Admin admin, InstantSource clock) {
        this.admin = admin;
        this.clock = clock;
    }

    void start() {
        thread.start();
    }

    /** Since when no broker answers; null while one does. */
    @Nullable Instant awaySince() {
        return awaySince;
    }

    private void watch() {
        try {
            while (!closed.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() throws InterruptedException {
        var asked = clock.instant();
        var before = awaySince;
        try {
            var _ =
                    admin.describeCluster(new DescribeClusterOptions().timeoutMs(ANSWER_MS))
                            .nodes()
                            .get();
            awaySince = null;
            if (before != null) {
                LOG.atInfo().addKeyValue("since", before).log("The broker is back");
            }
        } catch (ExecutionException e) {
            if (before == null) {
                awaySince = asked;
                LOG.atWarn()
                        .addKeyValue("cause", String.valueOf(e.getCause()))
                        .log("No broker answers; what is to be written is held");
            }
        }
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
