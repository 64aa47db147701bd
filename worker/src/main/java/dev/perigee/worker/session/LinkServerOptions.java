package dev.perigee.worker.session;

import dev.perigee.protocol.settings.HostPort;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of the link's server.
 *
 * @param listen where; port 0 takes any free one
 * @param token what gateways must prove to have; null only where nobody else can connect or
 *     gateways show certificates
 * @param tls null for a link that is not encrypted
 * @param pingInterval how often a ping is sent
 * @param pingTimeout after how long without a sign of life a connection is dead
 * @param maxRequests how many orders of one connection may be under way
 * @param outboundBytes how much of events may wait in one connection
 */
public record LinkServerOptions(
        HostPort listen,
        @Nullable String token,
        @Nullable TlsOptions tls,
        Duration pingInterval,
        Duration pingTimeout,
        int maxRequests,
        long outboundBytes) {

    /** Whether gateways must show that they are gateways. */
    boolean authenticates() {
        return token != null || (tls != null && tls.isMutual());
    }

    /** Everything but the token. */
    @Override
    public String toString() {
        return "LinkServerOptions[listen=%s, token=%s, tls=%s, pingInterval=%s, pingTimeout=%s]"
                .formatted(
                        listen,
                        token == null ? "(none)" : "(secret)",
                        tls,
                        pingInterval,
                        pingTimeout);
    }
}
