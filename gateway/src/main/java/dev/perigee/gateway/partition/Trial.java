package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one quarantined instance alone and sees whether the worker lives. For the owner's thread.
 *
 * <pre>
 *   Idle ──▶ Asking ──▶ Starting ──▶ Watching ──▶ Ending ──▶ passed
 *     ▲        │ another has the place                │
 *     └────────┘                                      └ the worker answers once more
 * </pre>
 *
 * The worker has one place for this, for all partitions: so of the suspects that were not tried one
 * is started at a time, and when the worker dies it is known which. The place is kept until the
 * worker has answered after the trial's time, since only then is it known to have lived so long.
 */
final class Trial {
    private static final Logger LOG = LoggerFactory.getLogger(Trial.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration ASK_LIMIT = Duration.ofSeconds(10);

    /** A start that takes longer is watched from then on, whatever comes of it. */
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private static final Duration SPARE = Duration.ofMinutes(1);

    private enum Stage {
        IDLE,
        ASKING,
        STARTING,
        WATCHING,
        ENDING
    }

    /** What a trial needs to know and leads to; on the owner's thread. */
    interface Docket {
        /** The instance that is tried next, null while none is. */
        @Nullable DesiredInstance next();

        /** How long no trial begins after the partition was restored on a worker. */
        Duration quiet();

        /** How long it must run alone. */
        Duration time(String processId);

        /** It begins. */
        void begun(DesiredInstance instance);

        /** The worker lives. */
        void passed(String processId);
    }

    private final PartitionContext context;
    private final Docket docket;
    private Stage stage = Stage.IDLE;
    private long attempt;
    private boolean alone;
    private @Nullable Session session;
    private @Nullable DesiredInstance tried;
    private boolean replaced;
    private Timers.@Nullable Entry timer;
    private @Nullable Thread givingBack;
    private @Nullable Instant notBefore;

    Trial(PartitionContext context, Docket docket) {
        this.context = context;
        this.docket = docket;
    }

    /** Whether this instance is the one on trial, and may run. */
    boolean isOf(String processId) {
        return switch (stage) {
            case IDLE, ASKING -> false;
            case STARTING, WATCHING, ENDING -> tried != null && tried.processId().equals(processId);
        };
    }

    /** Whether this instance is the one on trial, and a command has not come since. */
    boolean mayRun(String processId) {
        return isOf(processId) && !replaced;
    }

    /** The instance on trial that is alone, null when there is none. */
    @Nullable String subject() {
        return tried != null && alone && isOf(tried.processId()) ? tried.processId() : null;
    }

    /** Begins the next one, unless one is under way. */
    void proceed() {
        var serving = context.serving();
        if (stage != Stage.IDLE || serving == null) {
            return;
        }
        var next = docket.next();
        if (next == null) {
            return;
        }
        var now = context.services().clock().instant();
        if (notBefore != null && now.isBefore(notBefore)) {
            cancelTimer();
            timer = context.timers().at(notBefore, this::proceed);
            return;
        }
        attempt++;
        stage = Stage.ASKING;
        session = serving;
        tried = next;
        var atMost = START_LIMIT.plus(docket.time(next.processId())).plus(SPARE);
        ask(serving, next.processId(), atMost);
    }

    /**
     * The partition is restored on a worker, mostly because another one died: what ended that one
     * is probably among its instances, and no trial begins while it may end this one, too.
     */
    void restoring() {
        notBefore = context.services().clock().instant().plus(docket.quiet());
    }

    /** The link is down: whether the worker lives is not known. */
    void suspended() {
        if (stage == Stage.WATCHING) {
            cancelTimer();
        }
    }

    /** The link is back: the time begins anew. */
    void resumed() {
        var subject = tried;
        if (replaced && subject != null) {
            abandon(subject.processId());
        } else if (stage == Stage.WATCHING) {
            watch();
        }
    }

    /**
     * A command decides of the instance now. While the link is down no command reaches the worker:
     * if that turns out to be dead, what was on trial there answers for it all the same.
     */
    void commanded(String processId) {
        if (isOf(processId) && session != null && session.awake().isSuspended()) {
            replaced = true;
        } else {
            abandon(processId);
        }
    }

    /** Somebody else decides of the instance now. */
    void abandon(String processId) {
        if (tried != null && tried.processId().equals(processId)) {
            var before = session;
            over();
            if (before != null) {
                giveBack(before);
            }
            pause();
        }
    }

    /** The session is over. */
    void over() {
        stage = Stage.IDLE;
        session = null;
        tried = null;
        alone = false;
        replaced = false;
        cancelTimer();
    }

    private void ask(Session of, String processId, Duration atMost) {
        long number = attempt;
        var deadline = context.services().clock().instant().plus(ASK_LIMIT);
        var before = givingBack;
        Thread.ofVirtual()
                .name("trial-" + context.partition())
                .start(
                        () -> {
                            try {
                                if (before != null) {
                                    before.join(); // Or what is granted now is given back by that.
                                }
                                boolean granted = of.link().trial(processId, atMost, deadline);
                                post(number, Stage.ASKING, () -> asked(of, granted, granted));
                            } catch (LinkException e) {
                                // An older worker knows no place: it starts, and proves nothing.
                                boolean old = e.reason() == LinkException.Reason.REJECTED;
                                post(number, Stage.ASKING, () -> asked(of, old, false));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private void asked(Session of, boolean starts, boolean isAlone) {
        var subject = tried;
        if (!starts || subject == null || !of.equals(context.serving())) {
            over();
            pause();
            return;
        }
        alone = isAlone;
        stage = Stage.STARTING;
        docket.begun(subject);
        LOG.atInfo()
                .addKeyValue("process_id", subject.processId())
                .addKeyValue("partition", context.partition())
                .addKeyValue("worker_id", of.link().workerId())
                .log("A quarantined instance is started alone");
        var order =
                OrderPayload.restore(
                        context.partition(),
                        subject,
                        context.state().runtime(subject.processId()),
                        null);
        long number = attempt;
        var deadline = context.services().clock().instant().plus(START_LIMIT);
        try {
            var pending = of.link().submit(order.method(), order.order(), deadline);
            Thread.ofVirtual()
                    .name("trial-start-" + context.partition())
                    .start(
                            () -> {
                                try {
                                    var _ = pending.await();
                                    post(number, Stage.STARTING, this::watch);
                                } catch (LinkException e) {
                                    post(number, Stage.STARTING, () -> startFailed(of, e));
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            });
        } catch (LinkException e) {
            startFailed(of, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Of a session that is over its listener hears. */
    private void startFailed(Session of, LinkException failure) {
        switch (failure.reason()) {
            case DEADLINE -> watch();
            case OVERLOADED, DRAINING, TOO_LARGE, REJECTED -> {
                over();
                giveBack(of);
                pause();
            }
            case FENCED, LOST, DETACHED -> {}
        }
    }

    private void watch() {
        var subject = tried;
        if (subject != null) {
            stage = Stage.WATCHING;
            cancelTimer();
            timer = context.timers().after(docket.time(subject.processId()), this::end);
        }
    }

    private void end() {
        var of = session;
        if (of == null || tried == null) {
            return;
        }
        stage = Stage.ENDING;
        long number = attempt;
        var deadline = context.services().clock().instant().plus(START_LIMIT);
        Thread.ofVirtual()
                .name("trial-end-" + context.partition())
                .start(
                        () -> {
                            try {
                                var _ = of.link().trial(null, Duration.ZERO, deadline);
                                post(number, Stage.ENDING, this::passed);
                            } catch (LinkException e) {
                                post(number, Stage.ENDING, () -> endFailed(e));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private void endFailed(LinkException failure) {
        switch (failure.reason()) {
            case REJECTED -> passed(); // An older worker answers so, and answers.
            case DEADLINE, OVERLOADED, DRAINING, TOO_LARGE -> {
                alone = false; // Perhaps the place was given back.
                watch();
            }
            case FENCED, LOST, DETACHED -> {}
        }
    }

    private void passed() {
        var subject = tried;
        over();
        if (subject != null) {
            docket.passed(subject.processId());
        }
        pause();
    }

    private void giveBack(Session of) {
        var deadline = context.services().clock().instant().plus(ASK_LIMIT);
        givingBack =
                Thread.ofVirtual()
                        .name("trial-end-" + context.partition())
                        .start(
                                () -> {
                                    try {
                                        var _ = of.link().trial(null, Duration.ZERO, deadline);
                                    } catch (LinkException e) {
                                        LOG.atDebug()
                                                .setCause(e)
                                                .log("Failed to give the place back; it times out");
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
    }

    /** Others get their turn first. */
    private void pause() {
        long millis = PAUSE.toMillis();
        cancelTimer();
        timer =
                context.timers()
                        .after(
                                Duration.ofMillis(
                                        millis + ThreadLocalRandom.current().nextLong(millis)),
                                this::proceed);
    }

    /** To the owner's thread, if the trial is still where it was. */
    private void post(long number, Stage at, Runnable work) {
        context.mailbox()
                .post(
                        () -> {
                            if (stage == at && attempt == number) {
                                work.run();
                            }
                        });
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
