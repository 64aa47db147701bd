package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.protocol.tool.LogLevel;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connection of a call with what its server says and asks while it works on it. On the call's
 * thread.
 */
record CallReporting(ServerRun run, CallReporter reporter, @Nullable CallInput input) {
    private static final Logger log = LoggerFactory.getLogger(CallReporting.class);
    private static final Duration SET_LEVEL_WAIT = Duration.ofSeconds(2);

    /**
     * From now on the call hears of it; {@link #end} it.
     *
     * @param progressToken what the server names the call by, null where it accepts no progress
     * @param input null where it accepts no questions
     */
    static CallReporting begin(
            Instance instance,
            ToolOrder.Execute order,
            @Nullable Long progressToken,
            ServerRun run,
            CallDeadline deadline,
            @Nullable CallInput input) {
        var outlet =
                new CallReporter.Outlet() {
                    @Override
                    public void event(EventBody body) {
                        instance.journal().appendCallEvent(order, body, run.pid());
                    }

                    @Override
                    public void alive() {
                        deadline.progressed(System.nanoTime());
                    }

                    @Override
                    public String masked(String text) {
                        return run.masked(text);
                    }
                };
        var reporter =
                new CallReporter(
                        order, progressToken, outlet, run.notices(), instance.parts().timers());
        run.notices().add(reporter);
        if (input != null) {
            run.questions().add(input);
        }
        return new CallReporting(run, reporter, input);
    }

    /** The least level of messages that a request accepts and names; null where it does not. */
    static @Nullable LogLevel levelOf(ToolRequest request) {
        var name = request.logLevel();
        return name == null || !request.accepts(CallPart.LOG) ? null : LogLevel.of(name);
    }

    /**
     * Has a legacy server log what the request accepts; that it does not want to is no failure. A
     * modern one is told with the request.
     *
     * @param left until the call's deadline
     */
    static void askForMessages(
            ToolOrder.Execute order, ServerRun run, McpClient client, Duration left)
            throws InterruptedException {
        var level = levelOf(order.request());
        var info = run.info();
        if (level == null
                || info == null
                || !info.offersLogging()
                || client.listens()
                || !run.notices().needsLevel(level)) {
            return;
        }
        var params = RawJson.of("{\"level\":\"" + level.wireName() + "\"}");
        var most = left.compareTo(SET_LEVEL_WAIT) < 0 ? left : SET_LEVEL_WAIT;
        try {
            var _ = client.request("logging/setLevel", params, most);
        } catch (McpException e) {
            log.atDebug().addKeyValue("kind", e.kind()).log("Server does not take a log level");
        }
    }

    void end() {
        run.notices().remove(reporter);
        if (input != null) {
            run.questions().remove(input);
        }
        reporter.end();
    }
}
