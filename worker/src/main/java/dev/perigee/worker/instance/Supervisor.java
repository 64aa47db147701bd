package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.InstanceOrder.Quarantine;
import dev.perigee.worker.instance.StatusTrigger.Configured;
import dev.perigee.worker.instance.StatusTrigger.Step;
import dev.perigee.worker.log.RequestLogs;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * State machine of one installed instance: carries out its orders, in their order, and reacts to
 * events. Confined to the instance's own thread, which a handler holds while it ends a process;
 * after each message the instance's view is published.
 */
final class Supervisor {
    private final InstanceContext context;
    private final ToolKeeper tools;
    private final ProcessKeeper process;
    private final HttpKeeper http;
    private final HealthPing health;
    private final OwnProbes probes;
    private final SubscriptionKeeper subscriptions;
    private final OAuthKeeper oauth;
    private final RequestLogs requestLogs;
    private final RunningCalls calls;
    private ServerKeeper server;
    private boolean configuredOnce;

    Supervisor(InstanceContext context, RequestLogs requestLogs, RunningCalls calls) {
        this.context = context;
        var announcer = new StartAnnouncer(context);
        this.tools = new ToolKeeper(context, announcer::online);
        this.process = new ProcessKeeper(context, calls, tools, announcer);
        this.http = new HttpKeeper(context, tools, announcer);
        this.server = keeper();
        this.health = new HealthPing(context, tools);
        this.probes = new OwnProbes(context, health);
        this.subscriptions = new SubscriptionKeeper(context);
        this.oauth = new OAuthKeeper(context);
        this.requestLogs = requestLogs;
        this.calls = calls;
    }

    private ServerKeeper keeper() {
        return context.config.transportType().isProcess() ? process : http;
    }

    /** When {@link Message.Due} is to be handled, null when not. */
    @Nullable Long dueNanos() {
        var restart = process.restartDueNanos();
        var discovery = tools.dueNanos();
        if (restart == null || discovery == null) {
            return restart == null ? discovery : restart;
        }
        return restart - discovery < 0 ? restart : discovery;
    }

    /** Whether the instance is no longer here. */
    boolean ended() {
        return context.presence != View.Presence.HERE;
    }

    void handle(Message message) throws InterruptedException {
        switch (message) {
            case Message.Apply apply -> apply(apply);
            case Message.Stop stop -> stop(stop);
            case Message.Restart restart -> restart(restart);
            case Message.Remove remove -> remove(remove);
            case Message.Recover recover -> recover(recover);
            case Message.SwitchTool switchTool -> switchTool(switchTool);
            case Message.CheckHealth check -> health.begin(check);
            case Message.Progressed progressed -> process.progressed(progressed);
            case Message.Started started -> {
                process.started(started);
                subscriptions.renew(started.run());
            }
            case Message.StartFailed failed -> process.startFailed(failed);
            case Message.StartRefused refused -> process.startRefused(refused);
            case Message.Connected connected -> http.connected(connected);
            case Message.ConnectFailed failed -> http.connectFailed(failed);
            case Message.CallFailed failed -> http.callFailed(failed);
            case Message.TokenWanted _ -> oauth.wanted();
            case Message.TokensDue _ -> oauth.due();
            case Message.ScopesWanted wanted -> oauth.scopesWanted(wanted.scopes());
            case Message.Authorized done -> oauth.done(done);
            case Message.OtherSecrets other -> http.otherSecrets(other);
            case Message.Discovered discovered -> tools.discovered(discovered);
            case Message.Catalogued catalogued -> tools.catalogued(catalogued);
            case Message.DiscoveryFailed failed -> tools.failed(failed);
            case Message.OutputMissed missed -> process.outputMissed(missed);
            case Message.Exited exited -> process.exited(exited);
            case Message.ToolsChanged changed -> tools.changed(changed);
            case Message.ToolsMissed missed -> tools.missed(missed.run());
            case Message.NoticesMissed missed -> subscriptions.renew(missed.run());
            case Message.SubscriptionChanged changed -> subscriptions.changed(changed);
            case Message.Renewed renewed -> subscriptions.renewed(renewed);
            case Message.Answered answered -> tools.recovered(answered.run());
            case Message.Wake wake -> process.wake(wake.starts());
            case Message.Idle _ -> sleepIfIdle();
            case Message.Yield _ -> yieldIfUnused();
            case Message.ProbeDue _ -> probes.due();
            case Message.HealthChecked checked -> checked(checked);
            case Message.Due _ -> due(System.nanoTime());
            case Message.Leave leave -> leave(leave.limit());
        }
        process.settle();
        probes.plan();
        tools.look();
        subscriptions.look();
        oauth.look();
        context.publish();
    }

    private void checked(Message.HealthChecked message) {
        if (message.own() && !probes.counts(message)) {
            health.doubted();
        } else {
            health.ended(message);
        }
    }

    private void due(long now) {
        if (isDue(tools.dueNanos(), now)) {
            tools.due();
        }
        if (isDue(process.restartDueNanos(), now)) {
            process.restartDue();
        }
    }

    private static boolean isDue(@Nullable Long dueNanos, long now) {
        return dueNanos != null && now - dueNanos >= 0;
    }

    /** A process whose tools are to be listed again is needed for that. */
    private void sleepIfIdle() throws InterruptedException {
        if (!health.isUnderWay() && !context.outdated) {
            process.sleepIfIdle();
        }
    }

    private void yieldIfUnused() throws InterruptedException {
        if (!health.isUnderWay() && !context.outdated) {
            process.yieldIfUnused();
        }
    }

    private void apply(Message.Apply message) throws InterruptedException {
        var order = message.order();
        if (configuredOnce && order.startToken() < context.identity.startToken()) {
            complete(message, note("superseded"));
            return;
        }
        boolean known = configuredOnce;
        boolean same = known && message.configHash().equals(context.configHash);
        configuredOnce = true;
        if (same && order.cause() != Cause.REDEPLOYED && !order.stopped() && goesOn(message)) {
            return;
        }
        supersede(order.commandId());
        if (known && order.cause() != Cause.REDEPLOYED && staysUp(message)) {
            return;
        }
        change(message, known, same);
        if (overtaken(message)) {
            return;
        }
        if (order.quarantine() != null) {
            holdQuarantined(message, order.quarantine());
        } else if (order.stopped()) {
            holdStopped(message, "stopped");
        } else if (!context.config.runs()) {
            holdStopped(message, "not enabled");
        } else if (order.cause() == Cause.RESTORED && context.reporter.machine().needsItsUser()) {
            server.hold();
            complete(message, note("waits for its user"));
        } else if (order.cause() == Cause.RESTORED && !known && server.sleepOn()) {
            complete(message, status());
        } else {
            context.waiting.add(message.settlement());
            server.start(StartKind.INSTALL, ServerKeeper.reason(order.cause()), order.commandId());
        }
    }

    /** Whether the server takes the new configuration over as it is. */
    private boolean staysUp(Message.Apply message) throws InterruptedException {
        return !message.order().stopped()
                && message.order().config().runs()
                && !context.stopped
                && server.reconfigure(message);
    }

    /** Whether the next configuration replaces this one before anything came of it. */
    private boolean overtaken(Message.Apply message) {
        var next = context.mailbox.peekApply();
        if (next == null
                || next.order().commandId() == null
                || next.order().startToken() < message.order().startToken()) {
            return false;
        }
        context.waiting.answer(message.settlement(), superseded(next.order().commandId()));
        return true;
    }

    /** The instance is known but does not run. */
    private void holdStopped(Message.Apply message, String why) {
        context.stopped = true;
        context.reporter.on(Step.STOPPED, "Not running: " + why, message.order().commandId(), null);
        complete(message, note(why));
    }

    /** As stopped, with another reason; a server that needs its user is not started anyway. */
    private void holdQuarantined(Message.Apply message, Quarantine quarantine) {
        if (context.reporter.machine().needsItsUser()) {
            server.hold();
            complete(message, note("waits for its user"));
            return;
        }
        context.stopped = true;
        context.quarantine = quarantine;
        context.reporter.on(
                Step.QUARANTINED, quarantine.message(), message.order().commandId(), null);
        complete(message, note("quarantined"));
    }

    /** Whether an equal configuration changes nothing, because the instance runs or is about to. */
    private boolean goesOn(Message.Apply message) {
        boolean alive = context.run != null || context.dormantSince != null;
        if (context.stopped || !(alive || server.underWay()) || isRepaired(message)) {
            return false;
        }
        context.identify(message.order().startToken());
        boolean spawn = message.order().cause() == Cause.SPAWN;
        if (server.underWay()) {
            context.waiting.add(message.settlement());
        } else if (spawn && context.run == null) {
            process.wake(context.starts);
            complete(message, note("respawning"));
        } else {
            complete(message, note(spawn ? "already running" : "unchanged"));
        }
        return true;
    }

    /** Whether a user says by an equal configuration that the server may be connected to again. */
    private boolean isRepaired(Message.Apply message) {
        var cause = message.order().cause();
        return (cause == Cause.CREATED || cause == Cause.UPDATED)
                && context.run instanceof HttpRun run
                && (run.isRenewable() || context.config.oauth() != null)
                && context.reporter.status() == ServerStatus.REQUIRES_REAUTH;
    }

    private void change(Message.Apply message, boolean known, boolean same)
            throws InterruptedException {
        var order = message.order();
        if (!known) {
            begin(order);
        }
        if (order.cause() != Cause.RESTORED && order.cause() != Cause.SPAWN) {
            context.reporter.forgetCrashes();
        }
        context.configure(message);
        context.stopped = false;
        context.quarantine = null;
        context.reporter.on(
                new Configured(order.cause(), known, order.stopped()),
                null,
                order.commandId(),
                null);
        server.end("The server is restarted with a new configuration", grace());
        server = keeper();
        if (!same || order.cause() == Cause.REDEPLOYED) {
            tools.forget();
        }
    }

    /** Of what was known elsewhere an order takes over what no configuration says. */
    private void begin(InstanceOrder.Apply order) {
        var stored = DurableState.read(order.durable());
        if (order.cause() == Cause.RESTORED) {
            context.reporter.restore(stored);
        } else {
            context.reporter.takeOver(stored);
        }
    }

    private void stop(Message.Stop message) throws InterruptedException {
        if (stale(message, message.order())) {
            return;
        }
        if (context.stopped && context.quarantine == null) {
            complete(message, note("already stopped"));
            return;
        }
        supersede(message.order().commandId());
        context.stopped = true;
        context.quarantine = null;
        var pid = server.end("The server was stopped", grace());
        var reason = message.order().reason() == null ? "kill command" : message.order().reason();
        context.reporter.append(new EventBody.Stopped(reason), pid);
        context.reporter.on(Step.STOPPED, "Stopped: " + reason, message.order().commandId(), null);
        complete(message, status());
    }

    private void restart(Message.Restart message) throws InterruptedException {
        if (stale(message, message.order())) {
            return;
        }
        if (!context.config.runs()) {
            complete(message, note("not enabled"));
            return;
        }
        var order = message.order();
        supersede(order.commandId());
        context.stopped = false;
        context.quarantine = null;
        context.reporter.forgetCrashes();
        context.reporter.on(Step.RESTART_ORDERED, order.reason(), order.commandId(), null);
        server.end("The server is restarted", grace());
        context.waiting.add(message.settlement());
        server.start(
                StartKind.MANUAL_RESTART,
                order.reason() == null ? "restart command" : order.reason(),
                order.commandId());
    }

    private void remove(Message.Remove message) throws InterruptedException {
        if (stale(message, message.order())) {
            return;
        }
        supersede(message.order().commandId());
        boolean active = context.run != null;
        boolean dormant = context.dormantSince != null;
        var run = context.run;
        context.presence = View.Presence.REMOVED;
        server.end("The server was removed", grace());
        if (run != null) {
            run.silence();
        }
        context.publish(); // For calls that wait for an answer rather than for a process.
        // Their results come before the end, and nothing after it.
        calls.awaitNone(Duration.ofSeconds(2));
        requestLogs.flush();
        context.account.close(true);
        context.parts.deletion().discard(LaunchPlan.home(context.config));
        context.journal.appendRemoved();
        complete(message, CommandDetails.removed(active, dormant));
    }

    private void recover(Message.Recover message) throws InterruptedException {
        if (stale(message, message.order())) {
            return;
        }
        if (context.stopped || !server.recover(message)) {
            complete(message, note(context.stopped ? "stopped" : "skipped"));
        }
    }

    private void switchTool(Message.SwitchTool message) {
        if (!stale(message, message.order().order())) {
            tools.switchTool(message.order().toolName(), message.order().disabled());
            complete(message, status());
        }
    }

    private void leave(Duration limit) throws InterruptedException {
        context.presence = View.Presence.LEAVING;
        context.waiting.settle(Outcomes.leaving(context.processId()));
        oauth.leave(limit);
        var grace = grace().compareTo(limit) < 0 ? grace() : limit;
        server.end("The worker no longer runs the server", grace);
        requestLogs.flush();
        context.account.close(false);
        context.publish(); // For calls that wait for an answer rather than for a process.
    }

    /** The time for an orderly end is over. */
    void abort() {
        context.presence = View.Presence.LEAVING;
        server.kill();
        probes.cancel();
        oauth.giveUp();
        process.abandonPlace();
        context.publish();
    }

    /** An order about a configuration that a newer one replaced does not touch it. */
    private boolean stale(Message.Order message, InstanceOrder.Simple order) {
        if (order.startToken() >= context.identity.startToken()) {
            return false;
        }
        complete(message, note("superseded"));
        return true;
    }

    private void supersede(@Nullable String commandId) {
        if (commandId != null) {
            context.waiting.settle(superseded(commandId));
        }
    }

    private InstanceOrder.Outcome superseded(@Nullable String commandId) {
        return Outcomes.completed(
                context.processId(),
                CommandDetails.supersededBy(commandId == null ? "unknown" : commandId));
    }

    private void complete(Message.Order message, CommandDetails details) {
        context.waiting.answer(
                message.settlement(), Outcomes.completed(context.processId(), details));
    }

    private CommandDetails note(String note) {
        return CommandDetails.note(context.reporter.status(), note);
    }

    private CommandDetails status() {
        return new CommandDetails(
                context.reporter.status(),
                context.reporter.machine().message(),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    private Duration grace() {
        return context.parts.options().terminationGrace();
    }
}
