package dev.perigee.worker.session;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The one place on a worker for an instance that starts alone. A session keeps it until it gives it
 * back, ends, or its time is up; asking again moves the place on to the instance named now. Any
 * thread; nothing waits. Times are in terms of {@link System#nanoTime}.
 */
final class TrialPlace {
    private @Nullable HostedSession holder;
    private long untilNanos;

    /** Takes the place for a session; false when another has it. */
    synchronized boolean take(HostedSession session, Duration atMost, long now) {
        var before = holder;
        boolean taken =
                before != null
                        && !before.equals(session)
                        && !before.isOver()
                        && now - untilNanos < 0;
        if (!taken) {
            holder = session;
            untilNanos = now + atMost.toNanos();
        }
        return !taken;
    }

    /** Gives the place back, if the session has it. */
    synchronized void giveBack(HostedSession session) {
        if (session.equals(holder)) {
            holder = null;
        }
    }
}
