package dev.perigee.worker.instance;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Timer by which tokens are looked at. Confined to the supervisor's thread. */
final class OAuthTimer {
    /** Whatever a server says of times, there is a look after that. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private final InstanceContext context;
    private @Nullable ScheduledFuture<?> timer;

    /** When the time of the timer is. */
    private @Nullable Instant dueAt;

    OAuthTimer(InstanceContext context) {
        this.context = context;
    }

    /** The next look is then; null for none. */
    void set(@Nullable Instant at) {
        if (Objects.equals(at, dueAt)) {
            return;
        }
        cancel();
        if (at != null) {
            dueAt = at;
            var left = Duration.between(context.parts.clock().instant(), at);
            var delay = left.compareTo(LONGEST) < 0 ? left : LONGEST;
            var mailbox = context.mailbox;
            timer =
                    context.parts
                            .timers()
                            .schedule(
                                    () -> mailbox.post(new Message.TokensDue()),
                                    delay.isNegative() ? 0 : delay.toNanos(),
                                    TimeUnit.NANOSECONDS);
        }
    }

    /** There is no look. */
    void cancel() {
        dueAt = null;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
