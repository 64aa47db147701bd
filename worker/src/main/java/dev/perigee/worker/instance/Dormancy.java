package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transition of an idle instance to dormant. Confined to the supervisor's thread.
 *
 * <p>No call is lost to it. A call is counted as under way before it looks at the board for the
 * process to ask, and not sent to one that is not shown there. So the process is taken off the
 * board first and the calls are counted afterwards: either the call is seen here, and the process
 * is shown again; or the call sees no process, waits, and has one started when the old one is gone.
 */
final class Dormancy {
    private static final Logger log = LoggerFactory.getLogger(Dormancy.class);

    private final InstanceContext context;
    private final RunningCalls calls;

    Dormancy(InstanceContext context, RunningCalls calls) {
        this.context = context;
        this.calls = calls;
    }

    /**
     * Takes the process out of service if it is idle.
     *
     * @return how it was used; null when it is needed, and shown as before
     */
    IdlePolicy.@Nullable Usage begin() {
        return begin(this::isOver);
    }

    /** The same if it is idle now, however short. */
    IdlePolicy.@Nullable Usage beginIfUnused() {
        return begin(Dormancy::isUnused);
    }

    private IdlePolicy.@Nullable Usage begin(Predicate<IdlePolicy.@Nullable Usage> ends) {
        if (!ends.test(usage())) {
            return null;
        }
        context.hideRun();
        var usage = usage();
        if (!ends.test(usage)) {
            context.publish();
            return null;
        }
        return usage;
    }

    private IdlePolicy.@Nullable Usage usage() {
        return context.view().usage(calls, context.metrics);
    }

    private static boolean isUnused(IdlePolicy.@Nullable Usage usage) {
        return usage != null && usage.callsUnderWay() == 0;
    }

    private boolean isOver(IdlePolicy.@Nullable Usage usage) {
        return usage != null
                && context.parts.options().idle().isOver(usage, context.parts.clock().instant());
    }

    /**
     * From SIGTERM to SIGKILL. A call that comes meanwhile must find the time for a new process in
     * what it may wait, so half of that is the most that is given.
     */
    Duration grace() {
        var options = context.parts.options();
        var half = options.transitionWait().dividedBy(2);
        return half.compareTo(options.terminationGrace()) < 0 ? half : options.terminationGrace();
    }

    /** The process is gone: the next call starts another. */
    void enter(IdlePolicy.Usage usage, @Nullable Long pid) {
        var now = context.parts.clock().instant();
        context.sleeps(now);
        var idle = usage.idleFor(now);
        log.atInfo()
                .addKeyValue("process_id", context.processId())
                .addKeyValue("idle_ms", idle.toMillis())
                .log("Idle process ended; the instance is dormant");
        context.reporter.append(
                new EventBody.Dormant(ExitTexts.seconds(idle), usage.idleSince()), pid);
    }

    /** How long there has been no process; zero when the instance is not dormant. */
    Duration lasted() {
        var since = context.dormantSince;
        return since == null
                ? Duration.ZERO
                : Duration.between(since, context.parts.clock().instant());
    }
}
