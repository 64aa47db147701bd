package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.instance.StatusTrigger.CallFailed;
import dev.perigee.worker.instance.StatusTrigger.StartFailed;
import dev.perigee.worker.instance.StatusTrigger.Step;
import dev.perigee.worker.tool.FailureStatus;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lifecycle of the client of a server over HTTP. The server is not ours: it is there or not, so
 * there is nothing to start but a session, and an outage ends nothing. While the instance is
 * offline or in error its calls still go through, since that is how recovery is seen. Confined to
 * the supervisor's thread, which waits for an attempt that it abandons.
 */
final class HttpKeeper implements ServerKeeper {
    private final InstanceContext context;
    private final ToolKeeper tools;
    private final StartAnnouncer announcer;
    private final EgressNotices notices;

    /** Pace of connections for other secrets: a provider may have others each time. */
    private final FlapDamping renewals;

    private @Nullable HttpRun current;
    private @Nullable ConnectAttempt attempt;
    private long round;

    HttpKeeper(InstanceContext context, ToolKeeper tools, StartAnnouncer announcer) {
        this.context = context;
        this.tools = tools;
        this.announcer = announcer;
        this.notices = new EgressNotices(context.journal, context.parts.clock());
        var pause = context.parts.options().probes().recoveryPause();
        this.renewals = new FlapDamping(pause, System.nanoTime());
    }

    @Override
    public boolean underWay() {
        return current != null && !context.reporter.machine().isSettled();
    }

    @Override
    public void start(StartKind kind, String reason, @Nullable String commandId) {
        var run = open();
        announcer.starting(run, kind, reason, commandId);
        connect(run);
    }

    /** Nothing runs here that could sleep. */
    @Override
    public boolean sleepOn() {
        return false;
    }

    @Override
    public void hold() {
        open();
    }

    private HttpRun open() {
        context.lastError = null;
        var run =
                new HttpRun(
                        new HttpCredentials(context.config, context.secrets),
                        context.tokens,
                        context.parts.connections(),
                        context.parts.options().mcp(),
                        context.mailbox,
                        context.metrics,
                        notices,
                        new HttpRun.Messages(
                                context.parts.options().logs(),
                                context.parts.clock(),
                                context.parts.timers(),
                                context.journal));
        run.startedAt(context.parts.clock().instant());
        current = run;
        context.runs(run);
        context.starts++;
        context.lifecycle.to(InstanceState.STARTING);
        context.lifecycle.to(InstanceState.RUNNING); // Calls may be sent, though they may fail.
        return run;
    }

    private void connect(HttpRun run) {
        attempt = new ConnectAttempt(run, ++round, context.parts, context.mailbox);
        attempt.begin();
    }

    /** Users see that the server is looked at again; the status decides on what is found. */
    private void reconnect(HttpRun run, String reason, @Nullable String commandId)
            throws InterruptedException {
        giveUpAttempt();
        tools.giveUp();
        context.reporter.on(Step.CONNECTS, reason, commandId, null);
        run.looksAnew();
        connect(run);
    }

    private void giveUpAttempt() throws InterruptedException {
        if (attempt != null) {
            attempt.abandon();
            attempt = null;
        }
    }

    @Override
    public boolean reconfigure(Message.Apply message) throws InterruptedException {
        var run = current;
        var next = message.order().config();
        var before = context.config;
        if (run == null || next.transportType() != before.transportType()) {
            return false;
        }
        context.configure(message);
        run.reconfigure(next);
        boolean elsewhere = !Objects.equals(before.url(), next.url());
        if (context.reporter.status() != ServerStatus.ONLINE) {
            context.waiting.add(message.settlement());
            reconnect(run, "Connecting with the new configuration", message.order().commandId());
        } else {
            context.waiting.answer(
                    message.settlement(),
                    Outcomes.completed(
                            context.processId(),
                            CommandDetails.note(
                                    ServerStatus.ONLINE, "applies from the next request on")));
            if (elsewhere) {
                tools.discoverAgain(run);
            }
        }
        return true;
    }

    @Override
    public boolean recover(Message.Order order) throws InterruptedException {
        var run = current;
        if (run == null) {
            return false;
        }
        context.waiting.add(order.settlement());
        if (!underWay()) {
            reconnect(run, "Re-discovering tools", null);
        }
        return true;
    }

    /** Its user need not act any more: there are other secrets than the server refused. */
    void otherSecrets(Message.OtherSecrets message) throws InterruptedException {
        long now = System.nanoTime();
        if (message.run() == current
                && attempt == null
                && context.reporter.status() == ServerStatus.REQUIRES_REAUTH
                && renewals.waitNanos(now) <= 0) {
            renewals.changed(now);
            reconnect(message.run(), "Connecting with other secrets", null);
        }
    }

    void connected(Message.Connected message) {
        if (attempt != null && message.round() == round) {
            attempt = null;
            tools.discover(message.run());
        }
    }

    void connectFailed(Message.ConnectFailed message) {
        if (attempt != null && message.round() == round) {
            attempt = null;
            var trouble = message.trouble();
            var why = message.run().masked(trouble.message());
            context.lastError = trouble.message();
            context.reporter.on(new StartFailed(trouble.status()), why, null, null);
            context.waiting.settle(
                    Outcomes.spawnFailed(context.processId(), trouble.status(), why));
        }
    }

    /**
     * A call found out that the server does not do what it should. Its answer is newer than what is
     * being asked of an online server, which then does not count any more.
     */
    void callFailed(Message.CallFailed message) {
        var run = message.run();
        var trouble = message.trouble();
        if (run == current
                && !damped(trouble)
                && context.reporter.on(
                        new CallFailed(trouble.status()),
                        run.masked(trouble.message()),
                        null,
                        null)) {
            tools.giveUp();
        }
    }

    /** Whether an unreachable server that fails otherwise now has done so too often. */
    private boolean damped(FailureStatus trouble) {
        var status = context.reporter.status();
        boolean other =
                trouble.status() != status
                        && trouble.status() != ServerStatus.REQUIRES_REAUTH
                        && (status == ServerStatus.OFFLINE || status == ServerStatus.ERROR);
        if (!other) {
            return false;
        }
        long now = System.nanoTime();
        if (context.failureChanges.waitNanos(now) > 0) {
            return true;
        }
        context.failureChanges.changed(now);
        return false;
    }

    @Override
    public @Nullable Long end(String reason, Duration grace) throws InterruptedException {
        giveUpAttempt();
        tools.giveUp();
        kill();
        current = null;
        context.runs(null);
        context.lifecycle.to(InstanceState.TERMINATED);
        return null;
    }

    @Override
    public void kill() {
        if (current != null) {
            current.kill();
        }
    }
}
