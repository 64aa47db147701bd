package dev.perigee.worker.egress;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Fair queue of name lookups, round-robin over owners, of whom none has more than {@link
 * #MOST_OF_OWNER} under way and {@link #MOST_WAITING_OF_OWNER} that wait, a quarter of all; and
 * {@link #SCARCE} and {@link #SCARCE_WAITING} while half of all are taken, so that a few owners
 * together do not take everything. Used under one lock.
 */
final class LookupTurns<T> {
    static final int MOST = 64;
    static final int MOST_OF_OWNER = MOST / 4;
    static final int SCARCE = MOST / 16;
    static final int MOST_WAITING = 1024;
    static final int MOST_WAITING_OF_OWNER = MOST_WAITING / 4;
    static final int SCARCE_WAITING = MOST_WAITING / 64;

    /** Whose turn it is first. */
    private final Map<Object, Share<T>> shares = new LinkedHashMap<>();

    private static final class Share<T> {
        private final Set<T> underWay = new HashSet<>();
        private final LinkedHashSet<T> waiting = new LinkedHashSet<>();
    }

    /** Has one wait for its turn, unless too many do. */
    boolean add(Object owner, T one) {
        var share = shares.get(owner);
        int own = share == null ? 0 : share.waiting.size();
        int all = waiting();
        if (all >= MOST_WAITING
                || own >= (all < MOST_WAITING / 2 ? MOST_WAITING_OF_OWNER : SCARCE_WAITING)) {
            return false;
        }
        shares.computeIfAbsent(owner, _ -> new Share<>()).waiting.add(one);
        return true;
    }

    /** The next, which is under way from now on; null when none may be begun. */
    @Nullable T next() {
        int all = underWay();
        if (all >= MOST) {
            return null;
        }
        int most = all < MOST / 2 ? MOST_OF_OWNER : SCARCE;
        for (var entry : shares.entrySet()) {
            var share = entry.getValue();
            if (!share.waiting.isEmpty() && share.underWay.size() < most) {
                var one = share.waiting.removeFirst();
                share.underWay.add(one);
                shares.remove(entry.getKey());
                shares.put(entry.getKey(), share);
                return one;
            }
        }
        return null;
    }

    /** One that is under way is over. */
    void ended(Object owner, T one) {
        var share = shares.get(owner);
        if (share != null) {
            share.underWay.remove(one);
            dropEmpty(owner, share);
        }
    }

    /** Nobody wants it any more; where it is under way it goes on, and counts. */
    void giveUp(Object owner, T one) {
        var share = shares.get(owner);
        if (share != null) {
            share.waiting.remove(one);
            dropEmpty(owner, share);
        }
    }

    private void dropEmpty(Object owner, Share<T> share) {
        if (share.underWay.isEmpty() && share.waiting.isEmpty()) {
            shares.remove(owner);
        }
    }

    int underWay() {
        return shares.values().stream().mapToInt(share -> share.underWay.size()).sum();
    }

    private int waiting() {
        return shares.values().stream().mapToInt(share -> share.waiting.size()).sum();
    }

    /** Who has anything here. */
    int owners() {
        return shares.size();
    }
}
