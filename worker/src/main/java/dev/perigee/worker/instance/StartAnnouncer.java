package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.instance.StatusTrigger.Step;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Events of a start: its progress, and that a process runs. For a process that replaces another
 * that is reported when its handshake is done, for a new one when its tools are known. Confined to
 * the supervisor's thread.
 */
final class StartAnnouncer {
    private final InstanceContext context;
    private StartKind kind = StartKind.INSTALL;
    private String why = "";
    private @Nullable Long oldPid;

    StartAnnouncer(InstanceContext context) {
        this.context = context;
    }

    /** A process is being started, for which a package may have to be installed first. */
    void starting(ServerRun run, StartKind startKind, String reason, @Nullable String commandId) {
        kind = startKind;
        why = reason;
        if (kind != StartKind.RESPAWN) {
            var message = run.masked(reason + preparation());
            context.reporter.on(Step.CONNECTS, message, commandId, null);
        }
    }

    /** What a start does before there is a process, for people; empty when nothing. */
    private String preparation() {
        if (!context.config.transportType().isProcess()) {
            return "";
        }
        var program = LaunchPlan.withoutSecrets(context.config);
        var missing =
                program == null ? null : context.parts.packages().missing(program, kind.lookup());
        return missing == null ? "" : ": preparing the package " + missing;
    }

    /** What is being done for the start, for people. */
    void progressed(String what) {
        if (context.lifecycle.state() == InstanceState.STARTING
                && context.reporter.status() == ServerStatus.CONNECTING) {
            context.reporter.machine().explain(why + ": " + what);
        }
    }

    /** The process that the next one replaces. */
    void ended(@Nullable Long pid) {
        oldPid = pid;
    }

    /**
     * Its handshake is done.
     *
     * @param dormant how long there was none
     */
    void running(ServerRun run, Duration dormant) {
        var pid = run.pid();
        long newPid = pid == null ? 0 : pid;
        switch (kind) {
            case CRASH_RESTART ->
                    context.reporter.append(
                            new EventBody.Restarted(
                                    oldPid, newPid, context.reporter.crashCount(), "crash"),
                            pid);
            case MANUAL_RESTART -> {
                if (oldPid != null) {
                    context.reporter.append(new EventBody.Restarted(oldPid, newPid, 0, why), pid);
                }
            }
            case RESPAWN ->
                    context.reporter.append(
                            new EventBody.Respawned(
                                    ExitTexts.seconds(dormant), run.uptime().toMillis()),
                            pid);
            case INSTALL, ATTEMPT -> {}
        }
    }

    /** Its tools are known, and it is about to be online. */
    void online(ServerRun run, int toolCount) {
        boolean told =
                switch (kind) {
                    case CRASH_RESTART, RESPAWN -> true;
                    case MANUAL_RESTART -> oldPid != null;
                    case INSTALL, ATTEMPT -> false;
                };
        if (!told && run.takeAnnouncement()) {
            context.reporter.append(
                    new EventBody.Started(
                            run.uptime().toMillis(),
                            context.config.transportType().name().toLowerCase(Locale.ROOT),
                            toolCount),
                    run.pid());
        }
    }
}
