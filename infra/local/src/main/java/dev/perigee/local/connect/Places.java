package dev.perigee.local.connect;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Places that users take, bounded for each and in sum; of nobody who has none anything is kept.
 * Safe for use by any thread; never waits.
 */
final class Places {
    private final int mostOfOne;
    private final int most;
    private final Map<Object, Integer> taken = new HashMap<>();
    private int all;

    /** A place that is given back once. */
    static final class Place implements AutoCloseable {
        private final Runnable giveBack;
        private final AtomicBoolean over = new AtomicBoolean();

        private Place(Runnable giveBack) {
            this.giveBack = giveBack;
        }

        @Override
        public void close() {
            if (over.compareAndSet(false, true)) {
                giveBack.run();
            }
        }
    }

    Places(int mostOfOne, int most) {
        this.mostOfOne = mostOfOne;
        this.most = most;
    }

    /** A place for that user; null where there is none. */
    synchronized @Nullable Place take(Object user) {
        int now = taken.getOrDefault(user, 0);
        if (now >= mostOfOne || all >= most) {
            return null;
        }
        taken.put(user, now + 1);
        all++;
        return new Place(() -> giveBack(user));
    }

    private synchronized void giveBack(Object user) {
        taken.computeIfPresent(user, (_, count) -> count == 1 ? null : count - 1);
        all--;
    }

    synchronized int taken() {
        return all;
    }
}
