package dev.perigee.worker.session;

import dev.perigee.protocol.topic.RecordOrigin;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbered entries of one process that are not yet acknowledged. Pure: its owner holds a lock
 * around it. A number is assigned and its entry queued in one step, so there is never a hole.
 *
 * <p>When it fills, log lines give way first: beyond three quarters of its room a log entry gets no
 * number; its lines are counted, and one entry that tells the count takes a number as soon as there
 * is room again. All else is always taken, since it cannot be made up later: what bounds it is that
 * a {@link #full} journal lets its owner stop the child's output and refuse new calls.
 *
 * <p>Entries larger than {@link Limits#largeBytes} are charged to a budget that all journals of the
 * worker share, so that one large result neither fills its journal nor many of them the heap.
 *
 * <p>Source: design/link.md, "Journal".
 */
final class Journal {

    /**
     * How much a journal holds.
     *
     * @param maxBytes room for entries that are not large
     * @param maxEntries room for entries of any size
     * @param largeBytes from this size on an entry is charged to the shared budget
     */
    record Limits(long maxBytes, int maxEntries, int largeBytes) {}

    /**
     * One entry.
     *
     * @param frame the whole message as it goes over the link, encoded once
     * @param origin of a tool result: the request it answers
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Entry(long seq, byte[] frame, @Nullable RecordOrigin origin) {}

    /** Encodes an entry when its number is known. */
    @FunctionalInterface
    interface Encoder {
        byte[] encode(long seq);
    }

    /** Encodes the entry that says how many log lines were dropped. */
    @FunctionalInterface
    interface DropReport {
        byte[] encode(long seq, long lines);
    }

    private final Limits limits;
    private final LargeBudget budget;
    private final TreeMap<Long, Entry> entries = new TreeMap<>();
    private long nextSeq = 1;
    private long bytes;
    private long largeBytes;
    private long droppedLines;
    private boolean full;

    Journal(Limits limits, LargeBudget budget) {
        this.limits = limits;
        this.budget = budget;
    }

    /** Takes an entry. */
    void append(Encoder encoder, @Nullable RecordOrigin origin) {
        long seq = nextSeq;
        var entry = new Entry(seq, encoder.encode(seq), origin);
        nextSeq = seq + 1;
        entries.put(seq, entry);
        charge(entry, 1);
        measure();
    }

    /** Takes an entry of log lines, or counts them when they must give way. */
    void appendLog(Encoder encoder, long lines) {
        if (droppedLines > 0 || !hasRoomForLogs()) {
            droppedLines += lines;
        } else {
            append(encoder, null);
        }
    }

    /**
     * Forgets everything up to a number; a number that was never assigned counts as the last one.
     *
     * @return the requests whose results were acknowledged
     */
    List<RecordOrigin> acknowledge(long seq, DropReport report) {
        var answered = new ArrayList<RecordOrigin>();
        for (var first = entries.firstEntry();
                first != null && first.getKey() <= seq;
                first = entries.firstEntry()) {
            entries.pollFirstEntry();
            charge(first.getValue(), -1);
            var origin = first.getValue().origin();
            if (origin != null) {
                answered.add(origin);
            }
        }
        if (droppedLines > 0 && hasRoomForLogs()) {
            long lines = droppedLines;
            droppedLines = 0;
            append(number -> report.encode(number, lines), null);
        }
        measure();
        return answered;
    }

    /** The first entry after a number, null when there is none. */
    @Nullable Entry after(long seq) {
        Map.Entry<Long, Entry> next = entries.higherEntry(seq);
        return next == null ? null : next.getValue();
    }

    /**
     * After which number a reader goes on that has everything up to {@code afterSeq}. A number that
     * this journal never assigned is another session's: such a reader gets everything.
     */
    long resumeAfter(long afterSeq) {
        return afterSeq >= nextSeq ? 0 : afterSeq;
    }

    /** The number of the oldest entry; the next number when there is none. */
    long firstRetainedSeq() {
        return entries.isEmpty() ? nextSeq : entries.firstKey();
    }

    long nextSeq() {
        return nextSeq;
    }

    int size() {
        return entries.size();
    }

    /** Bytes of all entries, large ones included. */
    long bytes() {
        return bytes + largeBytes;
    }

    /** Whether the child's output must wait and calls be refused; ends at three quarters. */
    boolean full() {
        return full;
    }

    /** Forgets everything and gives back what it holds of the shared budget. */
    void clear() {
        budget.release(largeBytes);
        entries.clear();
        bytes = 0;
        largeBytes = 0;
        droppedLines = 0;
        full = false;
    }

    private void charge(Entry entry, int sign) {
        long size = (long) sign * entry.frame().length;
        if (entry.frame().length >= limits.largeBytes()) {
            largeBytes += size;
            budget.take(size);
        } else {
            bytes += size;
        }
    }

    private void measure() {
        if (bytes >= limits.maxBytes()
                || entries.size() >= limits.maxEntries()
                || (largeBytes > 0 && budget.exhausted())) {
            full = true;
        } else if (hasRoomForLogs()) {
            full = false;
        }
    }

    private boolean hasRoomForLogs() {
        return bytes < limits.maxBytes() - limits.maxBytes() / 4
                && entries.size() < limits.maxEntries() - limits.maxEntries() / 4;
    }
}
