package dev.perigee.protocol.limit;

import java.util.concurrent.atomic.AtomicLong;

/** Budget of ids that all {@link RecentIds} of a process share. Thread-safe. */
public final class IdBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    private IdBudget(long limit) {
        this.limit = limit;
    }

    /** As many ids as fit into so much memory. */
    public static IdBudget ofBytes(long bytes) {
        return new IdBudget(bytes / IdTable.BYTES_PER_ID);
    }

    /** As many ids as fit into a quarter of the heap that this process may have. */
    public static IdBudget ofHeap() {
        return ofBytes(Runtime.getRuntime().maxMemory() / 4);
    }

    /** From this number of ids on new work is to be refused. */
    public long limit() {
        return limit;
    }

    /** How many ids are remembered, or may have to be. */
    public long used() {
        return used.get();
    }

    /** Takes room for one id in any case; false when there was none left. */
    boolean take() {
        return used.incrementAndGet() <= limit;
    }

    void give(long ids) {
        used.addAndGet(-ids);
    }
}
