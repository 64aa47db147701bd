package dev.perigee.worker;

import dev.perigee.worker.admin.DrainControl;
import dev.perigee.worker.session.DrainProgress;
import dev.perigee.worker.session.DrainState;
import dev.perigee.worker.session.LinkServer;
import dev.perigee.worker.session.SessionRegistry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drain of a worker: operator-initiated and cancellable, or final, when the worker stops. Gateways
 * are notified of each change and move their partitions. Any thread may call.
 */
final class Leaving implements DrainControl {
    private static final Logger log = LoggerFactory.getLogger(Leaving.class);

    private final String workerId;
    private final SessionRegistry sessions;
    private final Duration stopTimeout;
    private volatile @Nullable LinkServer link;

    /**
     * @param stopTimeout how long partitions may take to leave a worker that stops
     */
    Leaving(String workerId, SessionRegistry sessions, Duration stopTimeout) {
        this.workerId = workerId;
        this.sessions = sessions;
        this.stopTimeout = stopTimeout;
    }

    /** Sets the server that notifies gateways from now on. */
    void by(LinkServer server) {
        link = server;
    }

    boolean isListening() {
        var server = link;
        return server != null && server.isListening();
    }

    @Override
    public String workerId() {
        return workerId;
    }

    @Override
    public DrainProgress drain(Duration timeout) {
        tell(sessions.drain("the worker is drained", timeout));
        return sessions.drainProgress();
    }

    @Override
    public DrainProgress undo() {
        tell(sessions.undoDrain());
        return sessions.drainProgress();
    }

    @Override
    public DrainProgress progress() {
        return sessions.drainProgress();
    }

    /** For good: waits for partitions to leave, then ends those that did not. */
    void leave() throws InterruptedException {
        tell(sessions.stop("the worker is stopping", stopTimeout));
        sessions.awaitLeft(stopTimeout, this::hasGateways);
        sessions.shutDown();
    }

    private boolean hasGateways() {
        var server = link;
        return server != null && server.hasGateways();
    }

    private void tell(DrainState state) {
        log.atInfo()
                .addKeyValue("phase", state.phase())
                .addKeyValue("version", state.version())
                .addKeyValue("reason", state.reason())
                .log("Gateways notified of the drain state");
        var server = link;
        if (server != null) {
            server.announce(state);
        }
    }
}
