package dev.perigee.gateway.link;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Lease;
import dev.perigee.protocol.link.LinkMethod;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sender of leases to one worker: periodically while a connection is open, until when the worker
 * may keep the sessions attached on it; reads the worker's clock from each answer. Sends nothing of
 * an abandoned session, and nothing to a worker without leases. Runs on a thread of its own.
 */
final class LeaseReports {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseReports.class);

    private final LinkConnection connection;
    private final Collection<PartitionSession> sessions;

    /**
     * @param sessions the open ones; a view, safe for use by any thread
     */
    LeaseReports(LinkConnection connection, Collection<PartitionSession> sessions) {
        this.connection = connection;
        this.sessions = sessions;
    }

    /** Reports until the connection is closed. */
    void run(Duration interval) throws InterruptedException {
        while (!connection.awaitClosed(interval)) {
            var clock = connection.clock();
            if (clock == null) {
                return;
            }
            var held =
                    sessions.stream()
                            .map(session -> session.held(connection, clock))
                            .filter(Objects::nonNull)
                            .toList();
            connection.ask(LinkMethod.LEASE, new Lease.Request(held), new Reading());
        }
    }

    /** The answer, which is not waited for. */
    private final class Reading implements AnswerHandler {
        @Override
        public void result(RawJson json) {
            try {
                connection.clock(WorkerClock.read(Json.read(json, Lease.Result.class).clockMs()));
            } catch (InvalidRecordException e) {
                failure(connection.generation(), 0, String.valueOf(e.getMessage()));
            }
        }

        @Override
        public void failure(long generation, int code, String message) {
            LOG.atWarn()
                    .addKeyValue("code", code)
                    .addKeyValue("reason", message)
                    .log("A worker did not understand a lease: one of the two has a bug");
        }
    }
}
