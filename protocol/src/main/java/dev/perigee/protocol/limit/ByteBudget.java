package dev.perigee.protocol.limit;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Budget of bytes that all holders of one kind in a process share. What can be refused asks with
 * {@link #tryTake}; what cannot is taken in any case, and its source applies backpressure while the
 * budget is {@link #exhausted}. Thread-safe.
 */
public final class ByteBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    private ByteBudget(long limit) {
        this.limit = limit;
    }

    /** A budget of so many bytes. */
    public static ByteBudget of(long bytes) {
        return new ByteBudget(bytes);
    }

    /** A budget of one part in so many of the heap that this process may have. */
    public static ByteBudget ofHeap(int parts) {
        return of(Runtime.getRuntime().maxMemory() / parts);
    }

    /** The size of the budget, in bytes. */
    public long limit() {
        return limit;
    }

    /** Bytes taken by all holders, more than the limit where they could not be refused. */
    public long used() {
        return used.get();
    }

    /** Whether nothing is left. */
    public boolean exhausted() {
        return used.get() >= limit;
    }

    /** Takes what fits; false, and nothing is taken, when it does not. */
    public boolean tryTake(long bytes) {
        return tryTake(bytes, limit);
    }

    /** Takes what fits while all holders together stay within a part of the budget. */
    public boolean tryTake(long bytes, long upTo) {
        long before = used.get();
        while (before + bytes <= Math.min(upTo, limit)) {
            if (used.compareAndSet(before, before + bytes)) {
                return true;
            }
            before = used.get();
        }
        return false;
    }

    /** Takes in any case, beyond the limit when it must be. */
    public void take(long bytes) {
        used.addAndGet(bytes);
    }

    /** Gives back what was taken. */
    public void give(long bytes) {
        used.addAndGet(-bytes);
    }
}
