package dev.perigee.protocol.link;

import dev.perigee.protocol.json.Require;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** First exchange on a connection: {@code link/hello}. */
public final class Hello {
    /** Of a worker that does not say. */
    public static final int USUAL_CAPACITY = 100;

    private Hello() {}

    /**
     * The gateway that calls.
     *
     * @param gatewayId the gateway
     * @param protocol the least version it speaks, which is the one that a worker without
     *     negotiation compares with its own
     * @param protocols the versions it speaks; null where an older version has {@code protocol}
     *     only
     */
    public record Request(String gatewayId, int protocol, @Nullable LinkVersions protocols) {
        public Request {
            Require.id(gatewayId, "gateway_id");
        }

        /** A gateway that speaks a range of versions. */
        public static Request of(String gatewayId, LinkVersions protocols) {
            return new Request(gatewayId, protocols.least(), protocols);
        }

        /** The versions that the gateway speaks, whatever its own version. */
        public LinkVersions spoken() {
            return protocols == null ? new LinkVersions(protocol, protocol) : protocols;
        }
    }

    /**
     * The worker that answers.
     *
     * @param workerId the worker
     * @param incarnation new each time the worker process starts
     * @param retentionMs how long a detached session keeps its processes, in milliseconds
     * @param sessions those that it holds, attached or not
     * @param capacity how much it takes in proportion to other workers; null where an older version
     *     says nothing, which is {@link #USUAL_CAPACITY}
     * @param draining what it said last when it is leaving, null when it is not
     * @param clockMs the worker's own clock, in which it is told of leases, in milliseconds; null
     *     where an older version knows none
     * @param ends of the connection, as the worker sees them; null where an older version does not
     *     say
     * @param protocol the version that the connection uses; null where an older version does not
     *     negotiate, which is the request's {@code protocol}
     */
    public record Result(
            String workerId,
            String incarnation,
            long retentionMs,
            List<SessionSummary> sessions,
            @Nullable Integer capacity,
            SessionNotice.@Nullable Draining draining,
            @Nullable Long clockMs,
            @Nullable Ends ends,
            @Nullable Integer protocol) {
        public Result {
            Require.id(workerId, "worker_id");
            Require.text(incarnation, "incarnation");
            sessions = List.copyOf(Require.present(sessions, "sessions"));
        }
    }

    /**
     * The two ends of a connection, each an address and a port. Where both sides see the same ones,
     * nothing that changes addresses stands between them. What forwards packets as they are may.
     *
     * @param gateway address and port of the gateway's end
     * @param worker address and port of the worker's end
     */
    public record Ends(String gateway, String worker) {
        /** Null where one of them is not known. */
        public static @Nullable Ends of(
                @Nullable SocketAddress gateway, @Nullable SocketAddress worker) {
            return gateway instanceof InetSocketAddress one
                            && worker instanceof InetSocketAddress other
                            && !one.isUnresolved()
                            && !other.isUnresolved()
                    ? new Ends(text(one), text(other))
                    : null;
        }

        private static String text(InetSocketAddress end) {
            return end.getAddress().getHostAddress() + "|" + end.getPort();
        }
    }

    /**
     * A session that the worker holds.
     *
     * @param partition the partition whose session it is
     * @param epoch the highest epoch that attached to it
     */
    public record SessionSummary(int partition, long epoch) {}
}
