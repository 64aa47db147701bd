package dev.perigee.worker.instance;

import dev.perigee.worker.mcp.ServerMetrics;
import java.util.List;

/** Factory of instance snapshots from a supervisor's view. Pure. */
final class Snapshots {
    private Snapshots() {}

    static InstanceSnapshot of(View view, ServerMetrics metrics, int activeRequests) {
        var run = view.run();
        return new InstanceSnapshot(
                view.identity(),
                view.config().transportType(),
                view.configHash(),
                view.state(),
                view.status(),
                view.statusMessage(),
                view.statusSince(),
                view.dormant(),
                view.stopped(),
                run == null ? null : run.pid(),
                run == null ? null : run.startedAt(),
                health(view),
                view.lastHealthCheckAt(),
                view.crashCount(),
                metrics.messageCount(),
                metrics.errorCount(),
                activeRequests,
                metrics.lastActivityAt(),
                view.catalogue() == null ? List.of() : view.catalogue().tools(),
                view.disabledTools());
    }

    private static String health(View view) {
        if (view.healthy() == null) {
            return "unknown";
        }
        return view.healthy() ? "healthy" : "unhealthy";
    }
}
