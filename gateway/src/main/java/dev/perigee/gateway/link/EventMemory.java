package dev.perigee.gateway.link;

import dev.perigee.protocol.limit.ByteBudget;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory of a gateway for events on their way from workers to Kafka, of all its sessions: each may
 * have an equal part of it on the way, and {@link #LEAST} in any case, so that none stands still.
 * Sizes are those of the link's frames, in bytes. Thread-safe.
 */
public final class EventMemory {
    /** What a session may have on the way, however many there are. */
    static final long LEAST = 64 << 10;

    private final ByteBudget budget;
    private final AtomicInteger sessions = new AtomicInteger();

    /** Shares a budget that nobody else takes from. */
    public EventMemory(ByteBudget budget) {
        this.budget = budget;
    }

    /** How much there may be on the way, and how much arrived and is not settled. */
    public ByteBudget budget() {
        return budget;
    }

    /**
     * One session's part as it is now.
     *
     * @param most more than this no session gets
     */
    long part(long most) {
        long equal = budget.limit() / Math.max(1, sessions.get());
        return Math.min(most, Math.max(LEAST, equal));
    }

    void sessionBegan() {
        sessions.incrementAndGet();
    }

    void sessionEnded() {
        sessions.decrementAndGet();
    }
}
