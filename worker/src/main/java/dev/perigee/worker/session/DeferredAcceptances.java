package dev.perigee.worker.session;

import dev.perigee.protocol.topic.RecordOrigin;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Acceptances that one connection keeps back for a moment: the result of their request says the
 * same, if it goes out meanwhile. Bounded, and empty once closed. Any thread may call; nothing
 * blocks.
 */
final class DeferredAcceptances {
    private final int most;
    private Map<RecordOrigin, Long> fresh = new LinkedHashMap<>();
    private Map<RecordOrigin, Long> aged = new LinkedHashMap<>();
    private boolean closed;

    /**
     * @param most so many are kept back at a time
     */
    DeferredAcceptances(int most) {
        this.most = most;
    }

    /**
     * Keeps an acceptance back.
     *
     * @return false when it is to be sent now: there is no room, or one of that request is kept
     */
    synchronized boolean defer(RecordOrigin request, long orderId) {
        return !closed
                && fresh.size() + aged.size() < most
                && !aged.containsKey(request)
                && fresh.putIfAbsent(request, orderId) == null;
    }

    /** The result of a request goes out. */
    synchronized void answered(RecordOrigin request) {
        if (fresh.remove(request) == null) {
            aged.remove(request);
        }
    }

    /** Takes the orders whose acceptances were kept back since before the last call. */
    synchronized List<Long> takeAged() {
        var due = List.copyOf(aged.values());
        aged.clear();
        var swapped = aged;
        aged = fresh;
        fresh = swapped;
        return due;
    }

    synchronized boolean isEmpty() {
        return fresh.isEmpty() && aged.isEmpty();
    }

    /** Takes all; none is kept back any more. */
    synchronized List<Long> close() {
        closed = true;
        var all = new ArrayList<>(aged.values());
        all.addAll(fresh.values());
        aged.clear();
        fresh.clear();
        return all;
    }
}
