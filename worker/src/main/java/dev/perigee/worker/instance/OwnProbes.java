package dev.perigee.worker.instance;

import dev.perigee.protocol.event.ServerStatus;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Schedule of a worker's own probes of one server over HTTP: a ping per interval, or a look at its
 * secrets while it refuses them, with jitter of half of it either way, so that servers of many
 * users are not asked at once. A server that was online is asked twice before it counts as gone. On
 * the supervisor's thread; at rest it holds one timer, and none where nothing is to be probed.
 */
final class OwnProbes {
    private static final Duration LONGEST_DOUBT = Duration.ofSeconds(10);
    private static final int DOUBT_PART = 10;

    private final InstanceContext context;
    private final HealthPing health;
    private final Duration interval;
    private @Nullable ScheduledFuture<?> timer;
    private long dueNanos;
    private boolean suspected;

    OwnProbes(InstanceContext context, HealthPing health) {
        this.context = context;
        this.health = health;
        this.interval = context.parts.options().probes().interval();
    }

    /** Sets the timer by how things are now. Called after each message. */
    void plan() {
        if (!isProbed()) {
            suspected = false;
            cancel();
            return;
        }
        long now = System.nanoTime();
        var held = context.heldRecoveryNanos;
        context.heldRecoveryNanos = null;
        if (held != null && (timer == null || held - dueNanos < 0)) {
            arm(now, held - now);
        } else if (timer == null && !interval.isZero()) {
            arm(now, jittered(suspected ? doubt() : interval));
        }
    }

    /**
     * Only its user ends {@code requires_reauth}, if need be by another secret under the same name,
     * and an {@code error} is not over because the server answers a ping: what failed, such as its
     * tools, would fail again at each probe.
     */
    private boolean isProbed() {
        var status = context.reporter.status();
        return context.presence == View.Presence.HERE
                && context.run instanceof HttpRun run
                && (status == ServerStatus.ONLINE
                        || status == ServerStatus.OFFLINE
                        || (status == ServerStatus.REQUIRES_REAUTH && run.isRenewable()));
    }

    /** The time of a probe came. */
    void due() {
        timer = null;
        if (!isProbed()) {
            return;
        }
        if (context.reporter.status() == ServerStatus.REQUIRES_REAUTH
                && context.run instanceof HttpRun run) {
            run.lookForOtherSecrets(context.parts.options().credentialTimeout());
        } else if (!health.isUnderWay()) {
            health.probe();
        }
    }

    /** Whether what a probe found counts: the first failure of an online server is a suspicion. */
    boolean counts(Message.HealthChecked found) {
        var trouble = found.trouble();
        boolean doubtful =
                trouble != null
                        && !suspected
                        && context.reporter.status() == ServerStatus.ONLINE
                        && trouble.status() != ServerStatus.REQUIRES_REAUTH;
        suspected = doubtful;
        if (doubtful) {
            cancel();
        }
        return !doubtful;
    }

    private Duration doubt() {
        var part = interval.dividedBy(DOUBT_PART);
        return part.compareTo(LONGEST_DOUBT) < 0 ? part : LONGEST_DOUBT;
    }

    private static long jittered(Duration mean) {
        return (long) (mean.toNanos() * (0.5 + ThreadLocalRandom.current().nextDouble()));
    }

    private void arm(long now, long delayNanos) {
        cancel();
        dueNanos = now + delayNanos;
        var mailbox = context.mailbox;
        timer =
                context.parts
                        .timers()
                        .schedule(
                                () -> mailbox.post(new Message.ProbeDue()),
                                delayNanos,
                                TimeUnit.NANOSECONDS);
    }

    /** Without it nothing is probed any more. */
    void cancel() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
