package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.OffsetTracker;
import dev.perigee.protocol.link.SessionNotice.ProcessAck;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Acknowledgement watermarks of a session's journals, one per process: it covers everything up to
 * the first entry that is not durable. One that is kept for a topic that cannot be written is
 * acknowledged all the same when too much of its process is done behind it: the worker's journal
 * has to go on. Pure, for one thread.
 */
final class Acknowledgements {
    /** Most bytes that are durable behind a kept entry before the watermark passes it. */
    static final int MOST_BYTES_BEHIND = 256 << 10;

    static final int MOST_ENTRIES_BEHIND = 5_000;

    private final Map<String, Kept> kept = new HashMap<>();
    private final Map<String, OffsetTracker> processes = new HashMap<>();
    private final Map<String, Long> acknowledged = new HashMap<>();
    private final Set<String> changed = new HashSet<>();
    private long credit;

    void arrived(String processId, long seq) {
        acknowledged.putIfAbsent(processId, seq - 1);
        processes
                .computeIfAbsent(
                        processId, _ -> new OffsetTracker(Integer.MAX_VALUE, Long.MAX_VALUE))
                .add(seq, 0);
    }

    /** The entry's records are durable, or it needs none; its memory is free. */
    void settled(String processId, long seq, int creditBytes) {
        var tracker = processes.get(processId);
        if (tracker != null && tracker.complete(seq)) {
            credit += creditBytes;
            changed.add(processId);
            var keptOnes = kept.get(processId);
            if (keptOnes != null && keptOnes.isOverWith(seq, creditBytes)) {
                forget(processId, keptOnes);
            }
        }
    }

    /** The entry's record is kept for a topic that cannot be written; it needs no more credit. */
    void kept(String processId, long seq, int creditBytes) {
        var tracker = processes.get(processId);
        if (tracker != null && tracker.isOpen(seq)) {
            credit += creditBytes;
            kept.computeIfAbsent(processId, _ -> new Kept()).entries.add(seq);
        }
    }

    /** Entries that are kept are not waited for. */
    void forgetKept() {
        Map.copyOf(kept).forEach(this::forget);
    }

    private void forget(String processId, Kept keptOnes) {
        kept.remove(processId);
        var tracker = processes.get(processId);
        if (tracker != null) {
            keptOnes.entries.forEach(tracker::complete);
            changed.add(processId);
        }
    }

    /** What is kept of one process, and how much was done behind it. */
    private static final class Kept {
        private final Set<Long> entries = new HashSet<>();
        private long bytesBehind;
        private int entriesBehind;

        /** True when none is left, or the limit behind them is reached. */
        boolean isOverWith(long seq, int bytes) {
            entries.remove(seq);
            bytesBehind += bytes;
            entriesBehind++;
            return entries.isEmpty()
                    || bytesBehind > MOST_BYTES_BEHIND
                    || entriesBehind > MOST_ENTRIES_BEHIND;
        }
    }

    /** Whether there is something that may be acknowledged or handed back. */
    boolean hasChanged() {
        return credit > 0 || !changed.isEmpty();
    }

    /** How many bytes of credit wait to be handed back. */
    long credit() {
        return credit;
    }

    /** What can be acknowledged now and was not before. */
    List<ProcessAck> takeAcks() {
        var acks = new ArrayList<ProcessAck>();
        for (var processId : changed) {
            var tracker = processes.get(processId);
            long upTo = tracker == null ? -1 : tracker.settled() - 1;
            Long before = acknowledged.put(processId, upTo);
            if (before == null || before < upTo) {
                acks.add(new ProcessAck(processId, upTo));
            }
        }
        changed.clear();
        return acks;
    }

    /** How many bytes of credit can be handed back now. */
    long takeCredit() {
        long bytes = credit;
        credit = 0;
        return bytes;
    }
}
