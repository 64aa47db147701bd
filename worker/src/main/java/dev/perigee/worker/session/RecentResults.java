package dev.perigee.worker.session;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.BudgetShare;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.limit.RecentIds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers by request id, for the time in which the same id does not run again. The results are
 * bounded: when they are too many, or too many bytes, here or with those of all other sessions of
 * the worker, the oldest go. The ids stay known for the whole time: a request begins only when
 * there is room for its id. Pure; its owner holds a lock.
 */
final class RecentResults {

    /**
     * Limits of what is remembered.
     *
     * @param window for how long
     * @param maxResults how many results
     * @param maxBytes of results
     */
    record Limits(Duration window, int maxResults, long maxBytes) {}

    /** Encoded answer to a request. */
    record Answer(String processId, RawJson result) {}

    /** There are some 10,000s of them, and each lives for minutes. */
    private record Remembered(String id, long untilMillis, String processId, RawJson result) {}

    /** What each session keeps whatever others do. */
    private static final int ALLOWANCE_BYTES = 64 << 10;

    private final Limits limits;
    private final RecentIds ids;
    private final Map<String, Remembered> remembered = new HashMap<>();
    private final ArrayDeque<Remembered> oldestFirst = new ArrayDeque<>();
    private final BudgetShare share;

    /**
     * @param budget of all sessions' ids
     * @param kept of all sessions' results
     */
    RecentResults(Limits limits, IdBudget budget, ByteBudget kept) {
        this.limits = limits;
        this.ids = new RecentIds(budget, limits.window());
        this.share = new BudgetShare(kept, ALLOWANCE_BYTES);
    }

    /**
     * Sets room aside for the id of a request that may run, until it is answered or withdrawn.
     *
     * @return false when there is none: the request is to be withdrawn
     */
    boolean reserve() {
        return ids.reserve();
    }

    /** A request for which room was set aside has not run. */
    void withdraw() {
        ids.release();
    }

    /** The answer that this id had within the window, null when it had none or it is not kept. */
    @Nullable Answer find(String id, Instant now) {
        forgetOld(now);
        var found = remembered.get(id);
        return found == null ? null : new Answer(found.processId(), found.result());
    }

    /** Whether this id was answered within the window. */
    boolean contains(String id, Instant now) {
        return ids.contains(id, now);
    }

    /** Remembers an answer. An id whose result is kept already keeps its first one. */
    void remember(String id, Answer answer, Instant now) {
        forgetOld(now);
        var until = now.plus(limits.window()).toEpochMilli();
        var added = new Remembered(id, until, answer.processId(), answer.result());
        ids.remember(id, now);
        if (remembered.putIfAbsent(id, added) != null) {
            return;
        }
        oldestFirst.add(added);
        share.take(added.result().size());
        while (!oldestFirst.isEmpty() && isTooMuch()) {
            forget(oldestFirst.remove());
        }
    }

    private boolean isTooMuch() {
        return oldestFirst.size() > limits.maxResults()
                || bytes() > limits.maxBytes()
                || share.isUsedUp();
    }

    long bytes() {
        return share.held();
    }

    /** Forgets what is older than the window. */
    void forgetOld(Instant now) {
        ids.forget(now);
        long millis = now.toEpochMilli();
        for (var oldest = oldestFirst.peek();
                oldest != null && millis >= oldest.untilMillis();
                oldest = oldestFirst.peek()) {
            forget(oldestFirst.remove());
        }
    }

    /** Forgets everything, for good. */
    void end() {
        ids.close();
        remembered.clear();
        oldestFirst.clear();
        share.giveAll();
    }

    private void forget(Remembered oldest) {
        share.give(oldest.result().size());
        remembered.remove(oldest.id());
    }
}
