package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.worker.log.SecretMask;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeper of an instance's subscriptions: has a change journalled, and has them made again when a
 * process or a session began, one {@link Renewal} at a time, and until the server answers; lists of
 * a modern server over HTTP are followed by the same request, also without a subscription. The
 * pause before the next doubles while they follow each other closely. Confined to the supervisor's
 * thread.
 */
final class SubscriptionKeeper {
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    /** After so long without one the next has no pause. */
    private static final Duration QUIET = Duration.ofSeconds(10);

    private final InstanceContext context;
    private @Nullable Renewal renewal;
    private @Nullable ServerRun last;
    private boolean again;
    private Duration pause = Duration.ZERO;
    private long endedNanos;

    SubscriptionKeeper(InstanceContext context) {
        this.context = context;
    }

    /** A request changed them. */
    void changed(Message.SubscriptionChanged message) {
        if (context.presence != View.Presence.HERE) {
            message.kept().completeExceptionally(new IllegalStateException("it leaves"));
            return;
        }
        var run = context.run;
        context.reporter.append(
                new EventBody.Subscriptions(
                        message.subscribed()
                                ? EventBody.Subscriptions.SUBSCRIBED
                                : EventBody.Subscriptions.UNSUBSCRIBED,
                        SecretMask.of(context.config).apply(message.uri()),
                        context.subscriptions.count(),
                        null),
                run == null ? null : run.pid(),
                () -> message.kept().complete(null));
        if (message.subscribed() && run != null && run != message.run()) {
            renew(run); // Another one was asked, which has ended since.
        }
    }

    /** The server may know of none. */
    void renew(ServerRun run) {
        if (run != context.run
                || run.isOver()
                || run.client() == null
                || context.lifecycle.state() != InstanceState.RUNNING
                || !hasReason(run)) {
            return;
        }
        if (renewal != null && renewal.run() == run) {
            again = true;
        } else {
            begin(run);
        }
    }

    /** Something is subscribed to, or lists are followed in the same way. */
    private boolean hasReason(ServerRun run) {
        var client = run.client();
        return !context.subscriptions.isEmpty() || (client != null && client.listensToLists());
    }

    private void begin(ServerRun run) {
        again = false;
        var since = Duration.ofNanos(System.nanoTime() - endedNanos);
        pause = run == last ? next(since) : Duration.ZERO;
        last = run;
        renewal = new Renewal(run, context.subscriptions, context.mailbox, pause);
        renewal.begin(context.processId());
    }

    private Duration next(Duration since) {
        if (since.compareTo(QUIET) > 0 && since.compareTo(pause) > 0) {
            return Duration.ZERO;
        }
        var doubled = pause.isZero() ? FIRST_PAUSE : pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    /** They were made again, as far as the server takes them. */
    void renewed(Message.Renewed message) {
        if (renewal == null || message.run() != renewal.run()) {
            return;
        }
        renewal = null;
        endedNanos = System.nanoTime();
        var run = message.run();
        if (run != context.run || run.isOver()) {
            return;
        }
        int count = context.subscriptions.count();
        if (count > 0 && (!message.unreached() || message.refused().size() < count)) {
            context.reporter.append( // Never left out: a copy may be out of date.
                    new EventBody.Subscriptions(
                            EventBody.Subscriptions.RENEWED,
                            null,
                            count,
                            message.refused().isEmpty()
                                    ? null
                                    : message.refused().stream().map(run::masked).toList()),
                    run.pid());
        }
        if ((again || message.unreached()) && hasReason(run)) {
            begin(run);
        }
    }

    /** Something happened: the server that is asked may be gone. */
    void look() {
        var under = renewal;
        if (under != null
                && (under.run() != context.run || context.presence != View.Presence.HERE)) {
            renewal = null;
            under.giveUp();
        }
    }
}
