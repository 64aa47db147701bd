package dev.perigee.protocol.limit;

/**
 * Share of one of many holders in a {@link ByteBudget}. A holder may have as much as is still free:
 * the largest reaches that limit first and stops, while all others continue, and the next one finds
 * room. One alone gets half of the budget, two get a third each, and so on. A small allowance
 * belongs to each holder in any case, so that those who hold little are not stopped by those who
 * hold much.
 *
 * <p>Pure, but for the budget: its owner holds a lock around it, or is one thread.
 */
public final class BudgetShare {
    private final ByteBudget budget;
    private final long allowance;
    private long held;

    /**
     * A share of which nothing is held.
     *
     * @param allowance how many bytes may be held whatever others hold; of 0 it is still true that
     *     who holds nothing is not stopped
     */
    public BudgetShare(ByteBudget budget, long allowance) {
        this.budget = budget;
        this.allowance = allowance;
    }

    /** Takes in any case: what must not grow further is stopped before, see {@link #isUsedUp}. */
    public void take(long bytes) {
        held += bytes;
        budget.take(bytes);
    }

    /**
     * Whether one who can be refused may take so much. It must be free; one that exceeds the budget
     * may while nobody else has any of it.
     */
    public boolean fits(long bytes) {
        return held + bytes <= allowance || budget.used() == 0 || (bytes <= free() && !isUsedUp());
    }

    /** Gives back what was taken. */
    public void give(long bytes) {
        held -= bytes;
        budget.give(bytes);
    }

    /** Gives back all that is held. */
    public void giveAll() {
        give(held);
    }

    /** Bytes that this holder has. */
    public long held() {
        return held;
    }

    /** Whether it holds as much as it may, by what all others hold now. */
    public boolean isUsedUp() {
        return held > allowance && held >= free();
    }

    /** Whether it holds more than three quarters of what it may. */
    public boolean isNearlyUsedUp() {
        return held > allowance && held >= free() - free() / 4;
    }

    private long free() {
        return budget.limit() - budget.used();
    }
}
