package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandAction.Check;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether a server is well: it is when it answers a ping, with whatever. On the
 * supervisor's thread; the server is asked on another.
 *
 * <p>Source: design/decisions.md, 8.
 */
final class HealthProbe {
    private static final Logger log = LoggerFactory.getLogger(HealthProbe.class);
    private static final String HEALTHY = "healthy";
    private static final String UNHEALTHY = "unhealthy";

    private final Dossier dossier;
    private final ToolKeeper tools;
    private int underWay;

    HealthProbe(Dossier dossier, ToolKeeper tools) {
        this.dossier = dossier;
        this.tools = tools;
    }

    /** Whether a server is being asked. */
    boolean isUnderWay() {
        return underWay > 0;
    }

    void begin(Message.CheckHealth message) {
        var settlement = message.settlement();
        if (message.order().check() == Check.CREDENTIAL_VALIDATION) {
            answer(settlement, CommandDetails.note(dossier.reporter.status(), "skipped"));
            return;
        }
        var run = dossier.run;
        var client = run == null ? null : run.client();
        boolean running = dossier.lifecycle.state() == InstanceState.RUNNING;
        if (run == null || client == null || !running) {
            answerWithoutServer(settlement, running);
            return;
        }
        underWay++;
        var timeout = dossier.parts.options().connectivityTimeout();
        var mailbox = dossier.mailbox;
        var _ =
                Thread.ofVirtual()
                        .name("health-" + dossier.processId())
                        .start(
                                () -> {
                                    long start = System.nanoTime();
                                    var why = ask(client, timeout);
                                    var took = Duration.ofNanos(System.nanoTime() - start);
                                    mailbox.post(
                                            new Message.HealthChecked(run, why, took, settlement));
                                });
    }

    private static @Nullable String ask(McpClient client, Duration timeout) {
        try {
            client.request("ping", RawJson.EMPTY_OBJECT, timeout);
            return null;
        } catch (McpException e) {
            return e.kind() == McpException.Kind.SERVER_ERROR ? null : e.getMessage();
        } catch (InterruptedException e) {
            return "the check was interrupted";
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("Health check failed unexpectedly");
            return "the check failed: see the worker's log";
        }
    }

    private void answerWithoutServer(Settlement settlement, boolean running) {
        if (running) {
            answer(settlement, health(HEALTHY, 0L, null)); // A program without MCP: it runs.
        } else if (dossier.dormantSince != null) {
            answer(settlement, health("unknown", null, "dormant"));
        } else {
            answer(settlement, health(UNHEALTHY, null, "not running"));
        }
    }

    void ended(Message.HealthChecked message) {
        underWay--;
        dossier.lastHealthCheckAt = dossier.parts.clock().instant();
        boolean healthy = message.why() == null;
        dossier.healthy = healthy;
        var run = message.run();
        if (run == dossier.run && !run.isOver()) {
            if (healthy) {
                tools.recovered(run);
            } else if (dossier.reporter.status() == ServerStatus.ONLINE) {
                dossier.reporter.status(
                        ServerStatus.OFFLINE,
                        run.masked("Server unreachable: " + message.why()),
                        null,
                        run.pid());
            }
        }
        answer(
                message.settlement(),
                health(healthy ? HEALTHY : UNHEALTHY, message.took().toMillis(), null));
    }

    private CommandDetails health(String health, @Nullable Long tookMs, @Nullable String note) {
        return new CommandDetails(
                dossier.reporter.status(),
                dossier.reporter.machine().message(),
                null,
                null,
                null,
                note,
                health,
                null,
                tookMs,
                null);
    }

    private void answer(Settlement settlement, CommandDetails details) {
        dossier.waiting.answer(settlement, Outcomes.completed(dossier.processId(), details));
    }
}
