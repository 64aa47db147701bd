package dev.perigee.worker.session;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of sessions.
 *
 * @param retention how long a detached session keeps its processes
 * @param expiryGrace how long the processes of an expired session may take to end
 * @param terminationLimit the same when the worker stops
 * @param flushLimit how long a worker that stops waits for acknowledgements
 * @param journalBytes room of one instance's journal
 * @param journalEntries the same in entries
 * @param whenFull what a journal without room does
 * @param largeEntryBytes from this size on an entry counts in the budget of all journals only
 * @param journalBudgetBytes that budget; null for an eighth of the heap
 * @param repeatWindow for how long a request id does not run again
 * @param repeatRequests how many results each session keeps to answer repeats with
 * @param repeatBytes the same in bytes
 * @param repeatMemoryBytes memory for the ids of answered requests, of all sessions together; null
 *     for a quarter of the heap
 * @param calls how many requests may run
 */
public record SessionOptions(
        Duration retention,
        Duration expiryGrace,
        Duration terminationLimit,
        Duration flushLimit,
        long journalBytes,
        int journalEntries,
        WhenFull whenFull,
        int largeEntryBytes,
        @Nullable Long journalBudgetBytes,
        Duration repeatWindow,
        int repeatRequests,
        long repeatBytes,
        @Nullable Long repeatMemoryBytes,
        CallLimits calls) {

    Journal.Limits journal() {
        return new Journal.Limits(journalBytes, journalEntries, largeEntryBytes, whenFull);
    }

    ByteBudget journals() {
        return journalBudgetBytes == null
                ? ByteBudget.ofHeap(8)
                : ByteBudget.of(journalBudgetBytes);
    }

    IdBudget requestIds() {
        return repeatMemoryBytes == null ? IdBudget.ofHeap() : IdBudget.ofBytes(repeatMemoryBytes);
    }

    RecentResults.Limits recentResults() {
        return new RecentResults.Limits(repeatWindow, repeatRequests, repeatBytes);
    }
}
