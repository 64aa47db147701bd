package dev.perigee.gateway;

import dev.perigee.gateway.inbound.BrokerClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeMetadataQuorumOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Asks the brokers for a sign of life every two seconds, so that health can say since when there is
 * none, and now and then for their time. Nothing else follows from it: every client of the gateway
 * waits and comes back on its own.
 */
final class BrokerWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final int ANSWER_MS = 4_000;

    /** In so many looks the clocks are compared once. */
    private static final int CLOCK_LOOKS = 15;

    private final Admin admin;
    private final InstantSource clock;
    private final BrokerClock brokers;
    private final PeriodicLook repeated = new PeriodicLook("watch-broker", PERIOD, this::look);
    private volatile @Nullable Instant awaySince;
    private boolean refused;
    private int looks;

    /**
     * @param clock this machine's
     * @param brokers takes what comes of comparing it with theirs
     */
    BrokerWatch(Admin admin, InstantSource clock, BrokerClock brokers) {
        this.admin = admin;
        this.clock = clock;
        this.brokers = brokers;
    }

    void start() {
        repeated.start();
    }

    /** Since when no broker answers; null while one does. */
    @Nullable Instant awaySince() {
        return awaySince;
    }

    private void look() throws InterruptedException {
        askForLife();
        looks++;
        if (looks % CLOCK_LOOKS == 0) {
            compareClocks();
        }
    }

    private void askForLife() throws InterruptedException {
        var asked = clock.instant();
        var before = awaySince;
        try {
            var _ =
                    admin.describeCluster(new DescribeClusterOptions().timeoutMs(ANSWER_MS))
                            .nodes()
                            .get();
            awaySince = null;
            if (before != null) {
                LOG.atInfo().addKeyValue("since", before).log("Broker reachable again");
            }
        } catch (ExecutionException e) {
            if (before == null) {
                awaySince = asked;
                LOG.atWarn()
                        .addKeyValue("cause", String.valueOf(e.getCause()))
                        .log("No broker reachable; writes are buffered");
            }
        }
    }

    /**
     * Asks the controller for its time, which comes with the state of the quorum: the leader was in
     * touch with itself when it answered. Where the gateway may not ask, nothing is known; bounded.
     */
    void compareClocks() throws InterruptedException {
        var asked = clock.instant();
        var options = new DescribeMetadataQuorumOptions().timeoutMs(ANSWER_MS);
        try {
            var quorum = admin.describeMetadataQuorum(options).quorumInfo().get();
            var answered = clock.instant();
            quorum.voters().stream()
                    .filter(voter -> voter.replicaId() == quorum.leaderId())
                    .flatMapToLong(voter -> voter.lastFetchTimestamp().stream())
                    .filter(time -> time > 0)
                    .forEach(time -> brokers.compared(asked, Instant.ofEpochMilli(time), answered));
        } catch (ExecutionException e) {
            LOG.atLevel(refused ? Level.DEBUG : Level.INFO)
                    .addKeyValue("cause", String.valueOf(e.getCause()))
                    .log("Broker time unknown; deadlines rely on this machine's clock");
            refused = true;
        }
    }

    @Override
    public void close() {
        repeated.close();
    }
}
