package dev.perigee.gateway.link;

import dev.perigee.protocol.tls.TlsFiles;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of a gateway's links.
 *
 * @param gatewayId who it says it is
 * @param workers where workers are found
 * @param refresh how often their names are looked up
 * @param token what the workers have too; null for workers that have none
 * @param tls for workers behind {@code wss}; null where there are none
 * @param minimumRetention a worker that keeps detached sessions for less is refused: the group
 *     would notice a dead gateway too late
 * @param lease how long a worker holds sessions for a gateway that does not hear from its group;
 *     its retention follows
 * @param creditBytes events on the way to one session
 * @param sendBufferBytes orders on the way to one worker
 */
public record LinkOptions(
        String gatewayId,
        List<WorkerSource> workers,
        Duration refresh,
        @Nullable String token,
        @Nullable TlsFiles tls,
        Duration minimumRetention,
        Duration lease,
        long creditBytes,
        int sendBufferBytes,
        Timing timing) {

    /**
     * How long things take.
     *
     * @param connectTimeout of one attempt to reach a worker, up to the upgrade
     * @param answerTimeout of hello and attach
     * @param refusedFor how long a worker's host refuses connections until its process counts as
     *     dead, and all it ran; zero for never
     * @param recoveryMargin by how much a link gives up before its worker does
     * @param backoffMin ceiling of the first random delay between attempts
     * @param backoffMax ceiling of the last
     * @param recoveryBackoffMax ceiling of the last while a link recovers
     */
    public record Timing(
            Duration connectTimeout,
            Duration answerTimeout,
            Duration pingInterval,
            Duration deadAfter,
            Duration refusedFor,
            Duration recoveryMargin,
            Duration backoffMin,
            Duration backoffMax,
            Duration recoveryBackoffMax) {

        /** How long after a pong a worker counts as heard: two pings may be lost or late. */
        Duration heardFor() {
            return pingInterval.multipliedBy(5).dividedBy(2);
        }
    }

    public LinkOptions {
        workers = List.copyOf(workers);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "LinkOptions[gatewayId=" + gatewayId + ", workers=" + workers + "]";
    }
}
