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
 * Crash handling: counts and reports crashes, and marks an instance that exceeds the restart budget
 * as permanently failed. On the supervisor's thread.
 */
final class CrashKeeper {
    private static final Logger log = LoggerFactory.getLogger(CrashKeeper.class);

    private final Dossier dossier;

    CrashKeeper(Dossier dossier) {
        this.dossier = dossier;
    }

    /**
     * A process ended unexpectedly, or could not be started again.
     *
     * @param exit how it ended, null when there was none or it is ours
     * @param reason for people, without secrets
     * @return the delay before the restart, null when there is none
     */
    @Nullable Duration handle(ServerRun run, @Nullable ExitStatus exit, String reason) {
        int count = dossier.reporter.crashed();
        var policy = dossier.parts.options().restart();
        var decision = policy.decide(count, run.uptime());
        dossier.lifecycle.to(InstanceState.FAILED);
        dossier.lastError = reason;
        log.atWarn()
                .addKeyValue("process_id", dossier.processId())
                .addKeyValue("crash_count", count)
                .addKeyValue("will_restart", decision.willRestart())
                .log("Server crashed");
        dossier.reporter.append(
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
        dossier.reporter.on(
                Step.CRASHED, "Restart %d %s: %s".formatted(count, when, reason), null, null);
        return decision.delay();
    }

    private static @Nullable String limit(@Nullable ExitStatus exit) {
        return exit == null || exit.limit() == null ? null : exit.limit().limit().wireName();
    }

    private void giveUp(ServerRun run, int count, RestartPolicy policy, String reason) {
        var message =
                "Process crashed %d times in %s".formatted(count, ExitTexts.of(policy.window()));
        dossier.reporter.append(
                new EventBody.PermanentlyFailed(
                        count, message, reason, dossier.parts.clock().instant()),
                run.pid());
        var manual = message + ". Manual restart required.";
        dossier.reporter.on(Step.CRASHED_FOR_GOOD, manual, null, null);
        dossier.waiting.settle(
                Outcomes.spawnFailed(dossier.processId(), ServerStatus.PERMANENTLY_FAILED, manual));
    }
}
