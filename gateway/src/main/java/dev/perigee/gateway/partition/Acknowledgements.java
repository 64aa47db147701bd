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
 * Which journal entries of a session are durable in Kafka, and so what may be acknowledged: per
 * process, everything up to the first entry that is not. Pure, for one thread.
 */
final class Acknowledgements {
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
