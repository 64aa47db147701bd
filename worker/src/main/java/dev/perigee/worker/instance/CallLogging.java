package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody.RequestLog;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import org.jspecify.annotations.Nullable;

/** What of a call is logged, where its installation wants that. Any thread. */
final class CallLogging {
    private CallLogging() {}

    /**
     * Logs a call that ended.
     *
     * @param tool null where the request was no call of a tool, which is not logged
     */
    static void add(
            Instance instance, ToolOrder.Execute order, @Nullable String tool, ToolResult result) {
        var view = instance.board().current();
        if (tool == null || view == null || !view.config().logsRequests()) {
            return;
        }
        var error = result.error();
        instance.requestLogs()
                .add(
                        new RequestLog(
                                order.request().userId(),
                                tool,
                                order.request().arguments(),
                                result.result(),
                                result.durationMs(),
                                result.outcome() == ToolOutcome.SUCCESS,
                                error == null ? null : error.message(),
                                result.timestamp()),
                        view.config().requestLogValues());
    }
}
