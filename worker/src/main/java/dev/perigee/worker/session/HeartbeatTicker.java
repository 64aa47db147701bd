package dev.perigee.worker.session;

import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.link.LinkMethod;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Heartbeats to one gateway, the one that is connected longest: at once when one is there, then at
 * each interval. On one virtual thread.
 */
final class HeartbeatTicker implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HeartbeatTicker.class);

    private final LinkConnections connections;
    private final Supplier<Heartbeat> heartbeat;
    private final Duration interval;
    private final Thread thread;

    /** A ticker that is not started. */
    HeartbeatTicker(LinkConnections connections, Supplier<Heartbeat> heartbeat, Duration interval) {
        this.connections = connections;
        this.heartbeat = heartbeat;
        this.interval = interval;
        this.thread = Thread.ofVirtual().name("heartbeat").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            while (!Thread.interrupted()) {
                var peer = connections.awaitOldest(Long.MAX_VALUE);
                if (peer != null) {
                    beat(peer);
                    Thread.sleep(interval); // Closing interrupts.
                }
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    private void beat(LinkPeer peer) {
        try {
            peer.tell(LinkMethod.HEARTBEAT, heartbeat.get());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("Failed to send a heartbeat");
        }
    }
}
