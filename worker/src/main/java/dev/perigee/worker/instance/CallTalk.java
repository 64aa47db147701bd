package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.protocol.tool.LogLevel;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server says and asks during one call, while it works on it: told to, and asked of, the
 * call's author where the request accepts that. For the call's thread.
 */
final class CallTalk {
    private static final Logger log = LoggerFactory.getLogger(CallTalk.class);

    private static final Duration SET_LEVEL_WAIT = Duration.ofSeconds(2);

    private final Instance instance;
    private final ToolOrder.Execute order;
    private final @Nullable Long progressToken;
    private final CallDeadline deadline;
    private final @Nullable CallInput input;
    private @Nullable ServerRun run;
    private @Nullable CallReporter reporter;

    CallTalk(
            Instance instance,
            ToolOrder.Execute order,
            @Nullable Long progressToken,
            CallDeadline deadline,
            @Nullable CallInput input) {
        this.instance = instance;
        this.order = order;
        this.progressToken = progressToken;
        this.deadline = deadline;
        this.input = input;
    }

    /** From now on what this server says counts, and nothing of one before. */
    void begin(ServerRun server) {
        var request = order.request();
        if (request.accepts() == null || request.accepts().isEmpty()) {
            return;
        }
        end();
        var telling =
                new CallReporter(
                        order,
                        progressToken,
                        new Outlet(server),
                        server.notices(),
                        instance.parts().timers());
        run = server;
        reporter = telling;
        server.notices().add(telling);
        if (input != null) {
            server.questions().add(input);
        }
    }

    /** Nothing more is told; the newest progress is. */
    void end() {
        var server = run;
        var telling = reporter;
        if (server != null && telling != null) {
            server.notices().remove(telling);
            if (input != null) {
                server.questions().remove(input);
            }
            telling.end();
            run = null;
        }
    }

    private final class Outlet implements CallReporter.Outlet {
        private final ServerRun server;

        Outlet(ServerRun server) {
            this.server = server;
        }

        @Override
        public void event(EventBody body) {
            instance.journal().appendCallEvent(order, body, server.pid());
        }

        @Override
        public void alive() {
            deadline.progressed(System.nanoTime());
        }

        @Override
        public String masked(String text) {
            return server.masked(text);
        }
    }

    /** Has the server log what the request accepts; that it does not want to is no failure. */
    void askForMessages(ServerRun server, McpClient client, Duration left)
            throws InterruptedException {
        var name = order.request().logLevel();
        var level = name == null ? null : LogLevel.of(name);
        var info = server.info();
        if (level == null
                || info == null
                || !info.offersLogging()
                || !order.request().accepts(CallPart.LOG)
                || !server.notices().needsLevel(level)) {
            return;
        }
        var params = RawJson.of("{\"level\":\"" + level.wireName() + "\"}");
        try {
            var _ =
                    client.request(
                            "logging/setLevel",
                            params,
                            left.compareTo(SET_LEVEL_WAIT) < 0 ? left : SET_LEVEL_WAIT);
        } catch (McpException e) {
            log.atDebug().addKeyValue("kind", e.kind()).log("Server does not take a log level");
        }
    }
}
