package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.instance.StatusTrigger.Step;
import dev.perigee.worker.process.ExitStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Crash handling of one instance: counts and reports crashes, and marks an instance that exceeds
 * the restart budget as permanently failed. An out-of-memory end that other processes seem to have
 * caused is exempt, at most {@link #EXEMPT} times in a row. Confined to the supervisor's thread.
 */
final class CrashKeeper {
    private static final Logger log = LoggerFactory.getLogger(CrashKeeper.class);

    /** Ends for want of memory in a row after which calls that wait for a start fail. */
    private static final int TOLD = 3;

    /**
     * The next in a row counts as a crash: what takes the memory between two looks, and again after
     * each restart, is not seen doing it.
     */
    static final int EXEMPT = 6;

    private final InstanceContext context;

    /** In a row, for want of memory that others seem to have taken. */
    private int shortages;

    CrashKeeper(InstanceContext context) {
        this.context = context;
    }

    /**
     * A process ended unexpectedly, or could not be started again.
     *
     * @param exit how it ended, null when there was none or it is ours
     * @param reason for people, without secrets
     * @return the delay before the restart, null when there is none
     */
    @Nullable Duration handle(ServerRun run, @Nullable ExitStatus exit, String reason) {
        var policy = context.parts.options().restart();
        boolean starved = exit != null && exit.starved();
        shortages = starved ? shortagesWith(run, policy) : 0;
        boolean exempt = starved && shortages <= EXEMPT;
        int count = exempt ? context.reporter.crashCount() : context.reporter.crashed();
        var decision = exempt ? exempted(count, policy) : policy.decide(count, run.uptime());
        context.lifecycle.to(InstanceState.FAILED);
        context.lastError = reason;
        log.atWarn()
                .addKeyValue("process_id", context.processId())
                .addKeyValue("crash_count", count)
                .addKeyValue("will_restart", decision.willRestart())
                .addKeyValue("starved", starved)
                .log("Server crashed");
        context.reporter.append(
                new EventBody.Crashed(
                        exit == null ? null : exit.code(),
                        exit == null ? null : exit.signal(),
                        ExitTexts.seconds(run.uptime()),
                        count,
                        decision.willRestart(),
                        decision.willRestart() ? decision.delay().toMillis() : null,
                        limit(exit)),
                run.pid());
        if (!decision.willRestart()) {
            giveUp(run, count, policy, reason);
            return null;
        }
        var when = decision.delay().isZero() ? "now" : "in " + ExitTexts.of(decision.delay());
        var restart = exempt ? "Restart" : "Restart " + count;
        context.reporter.on(Step.CRASHED, "%s %s: %s".formatted(restart, when, reason), null, null);
        if (starved && shortages >= TOLD) {
            context.waiting.settle(
                    Outcomes.spawnFailed(context.processId(), ServerStatus.CONNECTING, reason));
        }
        return decision.delay();
    }

    private int shortagesWith(ServerRun run, RestartPolicy policy) {
        return run.uptime().compareTo(policy.window()) > 0 ? 1 : shortages + 1;
    }

    private RestartPolicy.Decision exempted(int count, RestartPolicy policy) {
        return new RestartPolicy.Decision(count, true, policy.afterShortage(shortages));
    }

    private static @Nullable String limit(@Nullable ExitStatus exit) {
        return exit == null || exit.limit() == null ? null : exit.limit().limit().wireName();
    }

    private void giveUp(ServerRun run, int count, RestartPolicy policy, String reason) {
        var message =
                "Process crashed %d times in %s".formatted(count, ExitTexts.of(policy.window()));
        context.reporter.append(
                new EventBody.PermanentlyFailed(
                        count, message, reason, context.parts.clock().instant()),
                run.pid());
        var last = reason.endsWith(".") ? reason.substring(0, reason.length() - 1) : reason;
        var manual = "%s, at last: %s. Manual restart required.".formatted(message, last);
        context.reporter.on(Step.CRASHED_FOR_GOOD, manual, null, null);
        context.waiting.settle(
                Outcomes.spawnFailed(context.processId(), ServerStatus.PERMANENTLY_FAILED, manual));
    }
}
