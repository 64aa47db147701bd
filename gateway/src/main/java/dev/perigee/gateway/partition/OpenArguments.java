package dev.perigee.gateway.partition;

import dev.perigee.protocol.limit.ByteBudget;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a gateway for the arguments of all requests that are open, of all its partitions. Sizes
 * in bytes. The fuller it is the fewer get room, so that nobody can lock all others out:
 *
 * <pre>
 *   0                                          3/4         15/16    1
 *   ├──────────── whoever comes ────────────────┼── newcomers ─┼ small ┤
 * </pre>
 *
 * A newcomer is a user who has nothing open, in a team with less than a quarter of it all. Small is
 * a request of up to {@link #SMALL}. Thread-safe.
 */
public final class OpenArguments {
    /** Requests up to this size get room as long as there is any. */
    static final int SMALL = 4 << 10;

    /** What a request takes besides its arguments. */
    static final int BESIDES = 1 << 10;

    /** A request that has arguments. */
    interface Asker {
        /** Who shares its team's part of what there is. */
        String team();

        /** Size of the arguments, kept or not. */
        int bytes();
    }

    private final ByteBudget budget;
    private final Map<String, Long> largeOfTeams = new ConcurrentHashMap<>();

    /** Shares a budget that nobody else takes from. */
    public OpenArguments(ByteBudget budget) {
        this.budget = budget;
    }

    /** How much may be taken, and how much is. */
    public ByteBudget budget() {
        return budget;
    }

    /** True when a request's arguments would find no room even if they were alone. */
    boolean isTooLarge(Asker call) {
        return call.bytes() > SMALL && size(call) > newcomers();
    }

    /**
     * Room for a new request; null when there is none.
     *
     * @param first the user has nothing else open
     */
    @Nullable Room admit(Asker call, boolean first) {
        return take(call, upTo(call, first));
    }

    /**
     * Room for a request that a worker may have, which is not to be refused; null when there is
     * none, and its arguments are not to be kept. The small are always kept.
     */
    @Nullable Room adopt(Asker call) {
        if (call.bytes() <= SMALL) {
            budget.take(size(call));
            return new Room(call.team(), size(call), false);
        }
        return take(call, budget.limit());
    }

    private @Nullable Room take(Asker call, long upTo) {
        long bytes = size(call);
        if (!budget.tryTake(bytes, upTo)) {
            return null;
        }
        boolean large = call.bytes() > SMALL;
        if (large) {
            largeOfTeams.merge(call.team(), bytes, Long::sum);
        }
        return new Room(call.team(), bytes, large);
    }

    private long upTo(Asker call, boolean first) {
        if (call.bytes() <= SMALL) {
            return budget.limit();
        }
        boolean newcomer = first && largeOfTeams.getOrDefault(call.team(), 0L) < budget.limit() / 4;
        return newcomer ? newcomers() : budget.limit() / 4 * 3;
    }

    private long newcomers() {
        return budget.limit() - budget.limit() / 16;
    }

    private static long size(Asker call) {
        return (long) call.bytes() + BESIDES;
    }

    /** What one request has of the memory, until it is given back; that counts once. */
    final class Room {
        private final String team;
        private final long bytes;
        private final boolean large;
        private final AtomicBoolean given = new AtomicBoolean();

        private Room(String team, long bytes, boolean large) {
            this.team = team;
            this.bytes = bytes;
            this.large = large;
        }

        void giveBack() {
            if (given.compareAndSet(false, true)) {
                budget.give(bytes);
                if (large) {
                    largeOfTeams.computeIfPresent(
                            team, (_, all) -> all > bytes ? all - bytes : null);
                }
            }
        }
    }
}
