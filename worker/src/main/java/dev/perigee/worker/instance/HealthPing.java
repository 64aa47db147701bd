package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandAction.Check;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.instance.StatusTrigger.CheckFailed;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.tool.FailureStatus;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health check of a server by a ping: healthy when it answers, whatever it answers. An error of an
 * application changes no status; a failed check does. Checks are answered in their order: while the
 * server is asked the next ones wait, and those of one kind that waited share a ping. Runs on the
 * supervisor's thread; the server is asked on another.
 */
final class HealthPing {
    private static final Logger log = LoggerFactory.getLogger(HealthPing.class);
    private static final String HEALTHY = "healthy";
    private static final String UNHEALTHY = "unhealthy";

    private final InstanceContext context;
    private final ToolKeeper tools;
    private final ArrayDeque<Message.CheckHealth> waiting = new ArrayDeque<>();
    private boolean underWay;

    HealthPing(InstanceContext context, ToolKeeper tools) {
        this.context = context;
        this.tools = tools;
    }

    /** Whether a server is being asked. */
    boolean isUnderWay() {
        return underWay;
    }

    void begin(Message.CheckHealth message) {
        waiting.add(message);
        beginNext();
    }

    private void beginNext() {
        while (!underWay && !waiting.isEmpty()) {
            var check = waiting.element().order().check();
            var settlements = new ArrayList<Settlement>();
            while (!waiting.isEmpty() && waiting.element().order().check() == check) {
                settlements.add(waiting.remove().settlement());
            }
            begin(check, settlements);
        }
    }

    private void begin(Check check, List<Settlement> settlements) {
        var run = context.run;
        if (check == Check.CREDENTIAL_VALIDATION && !(run instanceof HttpRun)) {
            answer(settlements, CommandDetails.note(context.reporter.status(), "skipped"));
            return;
        }
        var client = run == null ? null : run.client();
        boolean running = context.lifecycle.state() == InstanceState.RUNNING;
        if (run == null || client == null || !running) {
            answerWithoutServer(settlements, running);
            return;
        }
        ask(run, client, check, false, settlements);
    }

    /** Asks the server once for the worker itself; none is being asked. */
    void probe() {
        var run = context.run;
        var client = run == null ? null : run.client();
        if (run != null && client != null) {
            ask(run, client, Check.CONNECTIVITY, true, List.of());
        }
    }

    private void ask(
            ServerRun run,
            McpClient client,
            Check check,
            boolean own,
            List<Settlement> settlements) {
        underWay = true;
        var options = context.parts.options();
        var timeout =
                check == Check.CREDENTIAL_VALIDATION
                        ? options.credentialTimeout()
                        : options.connectivityTimeout();
        var mailbox = context.mailbox;
        var _ =
                Thread.ofVirtual()
                        .name("health-" + context.processId())
                        .start(
                                LogContext.current()
                                        .carriedBy(
                                                () -> {
                                                    long start = System.nanoTime();
                                                    var trouble = ask(client, timeout, own);
                                                    var took =
                                                            Duration.ofNanos(
                                                                    System.nanoTime() - start);
                                                    mailbox.post(
                                                            new Message.HealthChecked(
                                                                    run,
                                                                    check,
                                                                    own,
                                                                    trouble,
                                                                    took,
                                                                    settlements));
                                                }));
    }

    /**
     * Any answer of the server will do, also that it does not know what a ping is; the worker's own
     * probe takes the refusal of one request for an answer, too.
     */
    private static @Nullable FailureStatus ask(McpClient client, Duration timeout, boolean own) {
        try {
            client.request("ping", RawJson.EMPTY_OBJECT, timeout);
            return null;
        } catch (McpException e) {
            boolean answered =
                    e.kind() == McpException.Kind.SERVER_ERROR
                            || e.kind() == McpException.Kind.RATE_LIMITED
                            || (own && e.kind() == McpException.Kind.REQUEST_REFUSED);
            return answered ? null : FailureStatus.of(e);
        } catch (InterruptedException e) {
            return FailureStatus.error("the check was interrupted");
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("Health check failed unexpectedly");
            return FailureStatus.error("the check failed: see the worker's log");
        }
    }

    private void answerWithoutServer(List<Settlement> settlements, boolean running) {
        if (running) {
            answer(settlements, health(HEALTHY, 0L, null)); // A program without MCP: it runs.
        } else if (context.dormantSince != null) {
            answer(settlements, health("unknown", null, "dormant"));
        } else {
            answer(settlements, health(UNHEALTHY, null, "not running"));
        }
    }

    /** Nothing follows from what was found yet. */
    void doubted() {
        underWay = false;
        beginNext();
    }

    void ended(Message.HealthChecked message) {
        underWay = false;
        context.lastHealthCheckAt = context.parts.clock().instant();
        boolean healthy = message.trouble() == null;
        context.healthy = healthy;
        boolean ofCredentials = message.check() == Check.CREDENTIAL_VALIDATION;
        var run = message.run();
        if (run == context.run && !run.isOver()) {
            if (message.trouble() != null) {
                tell(run, message.trouble(), message.check());
            } else if (!ofCredentials) {
                tools.recovered(run);
            }
        }
        long tookMs = message.took().toMillis();
        answer(
                message.settlements(),
                ofCredentials
                        ? validity(healthy, tookMs)
                        : health(healthy ? HEALTHY : UNHEALTHY, tookMs, null));
        beginNext();
    }

    /** A server that is there but not well is offline for its users too. */
    private void tell(ServerRun run, FailureStatus trouble, Check check) {
        var message =
                trouble.status() == ServerStatus.ERROR
                        ? "Server unreachable: " + trouble.message()
                        : trouble.message();
        context.reporter.on(
                new CheckFailed(check, trouble.status()), run.masked(message), null, run.pid());
    }

    private CommandDetails validity(boolean valid, long tookMs) {
        var status = context.reporter.status();
        return new CommandDetails(
                status,
                context.reporter.machine().message(),
                null,
                null,
                null,
                null,
                valid ? HEALTHY : UNHEALTHY,
                valid,
                tookMs,
                null);
    }

    private CommandDetails health(String health, @Nullable Long tookMs, @Nullable String note) {
        return new CommandDetails(
                context.reporter.status(),
                context.reporter.machine().message(),
                null,
                null,
                null,
                note,
                health,
                null,
                tookMs,
                null);
    }

    private void answer(List<Settlement> settlements, CommandDetails details) {
        for (var each : settlements) {
            context.waiting.answer(each, Outcomes.completed(context.processId(), details));
        }
    }
}
