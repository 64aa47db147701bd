package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.instance.StatusTrigger.StartFailed;
import dev.perigee.worker.instance.StatusTrigger.Step;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.tool.ToolCatalogue;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lifecycle of an instance's process: its start, its end, and what follows when it ends by itself.
 * Confined to the supervisor's thread, which waits only while a process or a start is being ended.
 */
final class ProcessKeeper implements ServerKeeper {
    private static final Logger log = LoggerFactory.getLogger(ProcessKeeper.class);

    /** What a process that failed to start is given before it is killed. */
    private static final Duration FAILED_START_GRACE = Duration.ofSeconds(2);

    /** How long the last output of an ended process is waited for. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    /** A start without a waiting caller waits until others have become idle. */
    private static final Duration RESTORE_WAIT = Duration.ofMinutes(5);

    private static final long REFUSED_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private static final String OUTPUT_GAP = "output_gap";

    private final InstanceContext context;
    private final RunningCalls calls;
    private final ToolKeeper tools;
    private final CrashKeeper crashes;
    private final Dormancy dormancy;
    private final StartAnnouncer announcer;
    private final EgressNotices notices;
    private final AwakeServers.Place place;
    private StartKind kind = StartKind.INSTALL;
    private @Nullable ProcessRun current;
    private @Nullable StartAttempt attempt;
    private @Nullable Long restartDueNanos;
    private @Nullable String refusedFor;
    private long refusedNanos;

    ProcessKeeper(
            InstanceContext context,
            RunningCalls calls,
            ToolKeeper tools,
            StartAnnouncer announcer) {
        this.context = context;
        this.calls = calls;
        this.announcer = announcer;
        this.notices = new EgressNotices(context.journal, context.parts.clock());
        this.tools = tools;
        this.crashes = new CrashKeeper(context);
        this.dormancy = new Dormancy(context, calls);
        var owner = new StartQueue.Owner(context.config.teamId(), context.config.userId());
        this.place = context.parts.awake().place(owner, new Yielding(context, calls));
    }

    /** When the next restart is due, in terms of {@link System#nanoTime}; null when none is. */
    @Nullable Long restartDueNanos() {
        return restartDueNanos;
    }

    @Override
    public boolean underWay() {
        return restartDueNanos != null
                || (context.run != null && !context.reporter.machine().isSettled());
    }

    @Override
    public void hold() {
        context.lifecycle.to(InstanceState.FAILED);
    }

    /** A process is started with its configuration and keeps it. */
    @Override
    public boolean reconfigure(Message.Apply message) {
        return false;
    }

    /** A process that ended is restarted or woken by other rules. */
    @Override
    public boolean recover(Message.Order order) {
        return false;
    }

    @Override
    public void start(StartKind startKind, String reason, @Nullable String commandId) {
        restartDueNanos = null;
        kind = startKind;
        context.lastError = null;
        var run =
                new ProcessRun(
                        context.config,
                        context.parts,
                        context.journal,
                        context.gate,
                        context.mailbox,
                        context.metrics,
                        notices,
                        context.secrets,
                        context.account.meter());
        announcer.starting(run, kind, reason, commandId);
        context.lifecycle.to(InstanceState.STARTING);
        runs(run);
        context.starts++;
        boolean restored = startKind == StartKind.INSTALL && commandId == null;
        attempt =
                new StartAttempt(
                        run,
                        kind,
                        context.parts,
                        context.gate,
                        context.mailbox,
                        calls,
                        () -> place.take(restored ? RESTORE_WAIT : placeWait()));
        attempt.begin();
    }

    /** Half, so that a call that waits for the start gets the reason rather than a timeout. */
    private Duration placeWait() {
        return context.parts.options().transitionWait().dividedBy(2);
    }

    /** After each message: an instance that has no process and awaits none needs no place. */
    void settle() {
        if (current == null && restartDueNanos == null) {
            place.release();
        }
    }

    /** The instance ends without waiting for its process. */
    void abandonPlace() {
        place.release();
    }

    private void runs(@Nullable ProcessRun run) {
        current = run;
        context.runs(run);
    }

    void progressed(Message.Progressed message) {
        if (message.run() == current) {
            announcer.progressed(message.what());
        }
    }

    @Override
    public @Nullable Long end(String reason, Duration grace) throws InterruptedException {
        restartDueNanos = null;
        context.discovering = false;
        context.sleepsNoMore();
        var run = current;
        if (run == null) {
            context.lifecycle.to(InstanceState.TERMINATED);
            return null;
        }
        context.lifecycle.to(InstanceState.TERMINATING);
        context.publish();
        terminate(run, reason, grace);
        runs(null);
        context.lifecycle.to(InstanceState.TERMINATED);
        announcer.ended(run.pid());
        return run.pid();
    }

    private void terminate(ProcessRun run, String reason, Duration grace)
            throws InterruptedException {
        if (run.client() != null) {
            run.client().close(reason);
        }
        if (attempt != null) {
            attempt.abandon();
            attempt = null;
        }
        var child = run.child();
        if (child != null) {
            context.gate.release(child);
            context.parts.termination().terminate(child, grace);
            run.awaitClosed(LAST_WORDS);
        }
        run.log().flush();
    }

    @Override
    public void kill() {
        if (context.run != null) {
            context.run.kill();
        }
    }

    void started(Message.Started message) throws InterruptedException {
        var run = message.run();
        if (run != current) {
            return;
        }
        var exit = run.exit();
        if (exit != null) {
            failed(run, run.explained(ExitTexts.of(exit) + " after the handshake"));
            return;
        }
        attempt = null;
        context.lifecycle.to(InstanceState.RUNNING);
        var slept = dormancy.lasted();
        context.sleepsNoMore();
        announcer.running(run, slept);
        if (kind == StartKind.RESPAWN) {
            tools.resume(run); // Its tools are known; taken over asleep, they are listed again.
            return;
        }
        if (message.info() == null) {
            tools.online(run, ToolCatalogue.of(List.of()));
        } else {
            tools.discover(run);
        }
    }

    void startFailed(Message.StartFailed message) throws InterruptedException {
        if (message.run() == current) {
            failed(message.run(), message.why());
        }
    }

    /** No failure of the server's: nothing was started, and nothing is counted. */
    void startRefused(Message.StartRefused message) throws InterruptedException {
        var run = message.run();
        if (run != current) {
            return;
        }
        attempt = null;
        terminate(run, message.why(), Duration.ZERO);
        runs(null);
        context.lastError = message.why();
        logRefused(message.why());
        if (kind == StartKind.RESPAWN) {
            context.lifecycle.to(InstanceState.TERMINATED);
        } else {
            notRunning(run, message.code(), message.why());
        }
    }

    /** One reason once a minute at most: each call may try again. */
    private void logRefused(String why) {
        long now = System.nanoTime();
        if (!why.equals(refusedFor) || now - refusedNanos >= REFUSED_PAUSE_NANOS) {
            refusedFor = why;
            refusedNanos = now;
            log.atWarn()
                    .addKeyValue("process_id", context.processId())
                    .addKeyValue("reason", why)
                    .log("Server was not started");
        }
    }

    private void notRunning(ProcessRun run, String code, String reason) {
        context.lifecycle.to(InstanceState.FAILED);
        context.reporter.on(new StartFailed(ServerStatus.ERROR), reason, null, run.pid());
        var details = CommandDetails.status(ServerStatus.ERROR, reason);
        context.waiting.settle(Outcomes.failed(context.processId(), details, code, reason));
    }

    private void failed(ProcessRun run, String reason) throws InterruptedException {
        var exit = run.exit();
        attempt = null;
        var grace = context.parts.options().terminationGrace();
        terminate(
                run,
                "The server failed to start",
                grace.compareTo(FAILED_START_GRACE) < 0 ? grace : FAILED_START_GRACE);
        runs(null);
        context.discovering = false;
        context.lastError = reason;
        log.atWarn()
                .addKeyValue("process_id", context.processId())
                .addKeyValue("reason", reason)
                .log("Server failed to start");
        boolean starved = exit != null && exit.starved();
        if (kind.failureIsCrash() || endsWithWorker() || starved) {
            crashed(run, exit, reason);
        } else if (kind == StartKind.RESPAWN) {
            context.lifecycle.to(InstanceState.TERMINATED);
        } else {
            notRunning(run, "spawn_failed", reason);
        }
    }

    void exited(Message.Exited message) throws InterruptedException {
        var run = message.run();
        var exit = run.exit();
        if (run != current || exit == null || context.lifecycle.state() == InstanceState.STARTING) {
            return; // Ended by intent, or the start tells it.
        }
        var child = run.child();
        if (child != null) {
            context.gate.release(child);
        }
        boolean settled = context.reporter.machine().isSettled();
        if (!settled && !kind.failureIsCrash()) {
            failed(run, run.explained(ExitTexts.of(exit) + " during tool discovery"));
            return;
        }
        runs(null);
        context.outdated |= context.discovering; // What it was asked for is still to be known.
        context.discovering = false;
        if (settled && exit.clean()) {
            context.sleeps(context.parts.clock().instant());
            context.reporter.append(
                    new EventBody.Exited(ExitTexts.seconds(run.uptime())), run.pid());
            context.lifecycle.to(InstanceState.TERMINATED);
        } else {
            crashed(run, exit, run.explained(ExitTexts.of(exit)));
        }
    }

    /**
     * Ends a process whose output has a gap, since its events are incomplete. One that had ended by
     * itself has reported so; one that was started since has no gap.
     */
    void outputMissed(Message.OutputMissed message) throws InterruptedException {
        var run = current;
        var missed = message.pid();
        if (run == null || missed == null || !missed.equals(run.pid()) || run.isOver()) {
            return;
        }
        var reason = "Its output was lost while no gateway could take it";
        var pid = end(reason, context.parts.options().terminationGrace());
        context.lifecycle.to(InstanceState.FAILED);
        context.lastError = reason;
        log.atWarn()
                .addKeyValue("process_id", context.processId())
                .addKeyValue("reason", OUTPUT_GAP)
                .log("Server ended: its output was lost");
        context.reporter.append(new EventBody.Stopped(OUTPUT_GAP), pid);
        context.reporter.on(Step.OUTPUT_LOST, reason, null, pid);
        context.waiting.settle(
                Outcomes.spawnFailed(context.processId(), ServerStatus.ERROR, reason));
    }

    private void crashed(ProcessRun run, @Nullable ExitStatus exit, String reason) {
        announcer.ended(run.pid());
        if (endsWithWorker()) {
            context.lifecycle.to(InstanceState.FAILED);
            context.lastError = reason;
            log.atWarn()
                    .addKeyValue("process_id", context.processId())
                    .addKeyValue("reason", reason)
                    .log("Server ended with its worker");
            return;
        }
        var delay = crashes.handle(run, exit, reason);
        if (delay != null) {
            restartDueNanos = System.nanoTime() + delay.toNanos();
        }
    }

    /**
     * True when the worker was frozen until its watchdog killed what it had started, and ends. That
     * is no crash of the server's, which its next worker starts: nothing is reported, nothing
     * counted.
     */
    private boolean endsWithWorker() {
        return !context.parts.launcher().mayLaunch();
    }

    void restartDue() {
        if (restartDueNanos != null) {
            start(StartKind.CRASH_RESTART, "Restarting after a crash", null);
        }
    }

    /** Not where its tools are not known, or those of another configuration. */
    @Override
    public boolean sleepOn() {
        var asleep = context.reporter.toldAsleep();
        if (asleep == null || !asleep.configHash().equals(context.configHash) || !wasOnline()) {
            return false;
        }
        var known = asleep.catalogue();
        if (known == null) {
            return false;
        }
        context.catalogue = known;
        context.publishedCatalogue = known;
        context.outdated = true; // The package may have another version here.
        context.sleeps(asleep.since(), asleep);
        context.reporter.on(Step.READY, null, null, null);
        return true;
    }

    /** Or was until its worker was lost, for which a gateway published {@code connecting}. */
    private boolean wasOnline() {
        var status = context.reporter.status();
        return status == ServerStatus.ONLINE || status == ServerStatus.CONNECTING;
    }

    /** Ends the process if it was idle for the timeout; the next call starts another. */
    void sleepIfIdle() throws InterruptedException {
        sleep(dormancy.begin());
    }

    /** Ends the process if it is idle now; the next call starts another. */
    void yieldIfUnused() throws InterruptedException {
        sleep(dormancy.beginIfUnused());
    }

    private void sleep(IdlePolicy.@Nullable Usage usage) throws InterruptedException {
        if (usage != null) {
            var pid = end("The server was idle", dormancy.grace());
            dormancy.enter(usage, pid);
        }
    }

    /**
     * A call needs a process; several at a time have one started.
     *
     * @param starts those of which the call knew that they left no process
     */
    void wake(int starts) {
        if (context.run != null
                || context.starts != starts
                || restartDueNanos != null
                || context.stopped
                || endsWithWorker()
                || context.reporter.machine().needsItsUser()) {
            return;
        }
        boolean known =
                context.reporter.status() == ServerStatus.ONLINE && context.catalogue != null;
        if (context.dormantSince != null && known) {
            start(StartKind.RESPAWN, "A call came", null);
        } else {
            start(StartKind.ATTEMPT, "Starting again for a call", null);
        }
    }
}
