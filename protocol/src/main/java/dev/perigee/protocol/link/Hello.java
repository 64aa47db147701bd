package dev.perigee.protocol.link;

import dev.perigee.protocol.json.Require;
import java.util.List;

/** First exchange on a connection: {@code link/hello}. */
public final class Hello {
    private Hello() {}

    /** Who calls. */
    public record Request(String gatewayId, int protocol) {
        public Request {
            Require.id(gatewayId, "gateway_id");
        }
    }

    /**
     * Who answers.
     *
     * @param incarnation new each time the worker process starts
     * @param retentionMs how long a detached session keeps its processes, in milliseconds
     */
    public record Result(
            String workerId, String incarnation, long retentionMs, List<SessionSummary> sessions) {
        public Result {
            Require.id(workerId, "worker_id");
            Require.text(incarnation, "incarnation");
            sessions = List.copyOf(Require.present(sessions, "sessions"));
        }
    }

    /** A session that the worker holds. */
    public record SessionSummary(int partition, long epoch) {}
}
