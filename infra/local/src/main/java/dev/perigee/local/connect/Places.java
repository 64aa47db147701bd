package dev.perigee.local.connect;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Places that users take, or bytes, bounded for each and in sum; of nobody who has none anything is
 * kept. Nobody has more than is free, so that there is some for the next, however many take what
 * they can. Safe for use by any thread; never waits.
 */
final class Places {
    private final long mostOfOne;
    private final long most;
    private final Map<Object, Long> taken = new HashMap<>();
    private long all;

    /** What one has taken, given back once. */
    final class Place implements AutoCloseable {
        private final Object user;
        private long size;
        private boolean over;

        private Place(Object user, long size) {
            this.user = user;
            this.size = size;
        }

        /** Takes so many more; false, and nothing is taken, where there is no room. */
        boolean grow(long more) {
            synchronized (Places.this) {
                if (over || !add(user, more)) {
                    return false;
                }
                size += more;
                return true;
            }
        }

        /** Gives back so many of those taken. */
        void shrink(long less) {
            synchronized (Places.this) {
                if (!over) {
                    giveBack(user, less);
                    size -= less;
                }
            }
        }

        /** The same for another owner: to close this one does nothing any more. */
        Place handOver() {
            synchronized (Places.this) {
                var next = new Place(user, size);
                next.over = over;
                over = true;
                size = 0;
                return next;
            }
        }

        @Override
        public void close() {
            synchronized (Places.this) {
                over = true;
                giveBack(user, size);
                size = 0;
            }
        }
    }

    Places(long mostOfOne, long most) {
        this.mostOfOne = mostOfOne;
        this.most = most;
    }

    /** A place for that user; null where there is none. */
    @Nullable Place take(Object user) {
        var place = none(user);
        return place.grow(1) ? place : null;
    }

    /** What that user has before anything is taken. */
    Place none(Object user) {
        return new Place(user, 0);
    }

    private boolean add(Object user, long more) {
        long now = taken.getOrDefault(user, 0L) + more;
        if (now > Math.min(mostOfOne, most - all)) {
            return false;
        }
        taken.put(user, now);
        all += more;
        return true;
    }

    private void giveBack(Object user, long size) {
        taken.computeIfPresent(user, (_, has) -> has == size ? null : has - size);
        all -= size;
    }

    synchronized long taken() {
        return all;
    }
}
