package dev.perigee.worker.session;

import dev.perigee.protocol.limit.BudgetShare;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.topic.NumberMap;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The numbered entries of one process that are not yet acknowledged. Pure: its owner holds a lock
 * around it. A number is assigned and its entry queued in one step, so nothing but eviction makes a
 * hole.
 *
 * <p>When it fills, log lines give way first: beyond three quarters of its room a log entry gets no
 * number; its lines are counted, and one entry with the count takes a number as soon as there is
 * room again. All else is always taken, since it cannot be made up later: what bounds it is
 * backpressure: while a journal is {@link #full} its owner stops the child's output and refuses new
 * calls.
 *
 * <p>Where it evicts, the oldest output goes instead, down to half of the room. State (status,
 * lifecycle, tools) and results, which callers wait for, are never evicted, so a journal full of
 * that behaves as one that does not evict. A reader that missed evicted output finds a {@link
 * #takeHole hole}, once.
 *
 * <p>All journals of the worker share a budget, of which each may have as much as is still free,
 * see {@link BudgetShare}: beyond that it is full, too. So those that hold most wait first, and a
 * journal of which all is acknowledged takes entries again, whatever others hold. Entries larger
 * than {@link Limits#largeBytes} count there only, so that one large result does not fill its
 * journal.
 */
final class Journal {

    /**
     * Limits of a journal.
     *
     * @param maxBytes room for entries that are not large
     * @param maxEntries room for entries of any size
     * @param largeBytes from this size on an entry counts in the shared budget only
     */
    record Limits(long maxBytes, int maxEntries, int largeBytes, WhenFull whenFull) {}

    /**
     * Output of a process, from which an entry is made.
     *
     * @param pid the process, null where there was none
     */
    record Output(long lines, @Nullable Long pid) {}

    /**
     * One entry.
     *
     * @param frame the whole message as it goes over the link, encoded once
     * @param origin of a tool result: the request it answers
     * @param output what is lost when it is evicted; null of what is not evicted
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Entry(long seq, byte[] frame, @Nullable RecordOrigin origin, @Nullable Output output) {}

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

    /** What an entry takes beside its frame, about. */
    static final int ENTRY_BYTES = 128;

    /** What each journal may hold whatever others do: lines of a log, and some status. */
    static final int ALLOWANCE_BYTES = 16 << 10;

    private final Limits limits;
    private final BudgetShare share;
    private final NumberMap<Entry> entries = new NumberMap<>();
    private final ArrayDeque<Entry> evictable = new ArrayDeque<>();
    private long nextSeq;
    private long bytes;
    private long largeBytes;
    private long expectedBytes;
    private long expectedLargeBytes;
    private long droppedLines;
    private boolean full;
    private long evictedUpTo;
    private @Nullable Output evicted;

    Journal(Limits limits, ByteBudget budget) {
        this(limits, budget, 1);
    }

    /** An empty journal whose first entry gets that number. */
    Journal(Limits limits, ByteBudget budget, long firstSeq) {
        this.limits = limits;
        this.share = new BudgetShare(budget, ALLOWANCE_BYTES);
        this.nextSeq = firstSeq;
    }

    /** Takes an entry. */
    void append(Encoder encoder, @Nullable RecordOrigin origin) {
        add(encoder, origin, null);
    }

    /** Takes an entry that may be evicted. */
    void appendOutput(Encoder encoder, Output output) {
        add(encoder, null, output);
    }

    /** Takes an entry of log lines, or counts them when they must give way. */
    void appendLog(Encoder encoder, Output output) {
        if (!hasRoomForLogs()) {
            evict();
        }
        if (droppedLines > 0 || !hasRoomForLogs()) {
            droppedLines += output.lines();
        } else {
            appendOutput(encoder, output);
        }
    }

    /** Takes an entry that is not evicted, or drops it and counts its lines where logs would be. */
    void appendIfRoom(Encoder encoder, long lines) {
        if (droppedLines > 0 || !hasRoomForLogs()) {
            droppedLines += lines;
        } else {
            append(encoder, null);
        }
    }

    /** What a server notifies of unasked, where there is room. */
    void appendNotice(Encoder encoder) {
        if (hasRoomForNotices()) {
            append(encoder, null);
        }
    }

    /** A result of so many bytes is read and will be appended, or dropped; it counts already. */
    void expect(long size) {
        expected(size, 1);
    }

    /** One that was expected is appended, or will not be; nothing where none was expected here. */
    void expectNoMore(long size) {
        if (size <= (size >= limits.largeBytes() ? expectedLargeBytes : expectedBytes)) {
            expected(size, -1);
        }
    }

    private void expected(long size, int sign) {
        if (size >= limits.largeBytes()) {
            expectedLargeBytes += sign * size;
        } else {
            expectedBytes += sign * size;
        }
        hold(size, sign);
        measure();
    }

    private void hold(long memory, int sign) {
        if (sign > 0) {
            share.take(memory);
        } else {
            share.give(memory);
        }
    }

    private void add(Encoder encoder, @Nullable RecordOrigin origin, @Nullable Output output) {
        long seq = nextSeq;
        var entry = new Entry(seq, encoder.encode(seq), origin, output);
        nextSeq = seq + 1;
        entries.put(seq, entry);
        if (output != null && limits.whenFull() == WhenFull.EVICT) {
            evictable.add(entry);
        }
        charge(entry, 1);
        measure();
    }

    /**
     * Forgets everything up to a number; a number that was never assigned counts as the last one.
     *
     * @return the requests whose results were acknowledged
     */
    List<RecordOrigin> acknowledge(long seq, DropReport report) {
        var answered = new ArrayList<RecordOrigin>();
        for (var first = entries.first();
                first != null && first.seq() <= seq;
                first = entries.first()) {
            var _ = entries.remove(first.seq());
            charge(first, -1);
            var origin = first.origin();
            if (origin != null) {
                answered.add(origin);
            }
        }
        while (!evictable.isEmpty() && evictable.getFirst().seq() <= seq) {
            evictable.removeFirst();
        }
        if (evictedUpTo <= seq) {
            evicted = null;
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
        return entries.from(seq + 1);
    }

    /**
     * The gap of a reader that has everything up to a number, left by eviction. Returned once: the
     * owner reports it by an entry, which the next reader finds here too.
     */
    @Nullable Output takeHole(long afterSeq) {
        if (evicted == null || afterSeq >= evictedUpTo) {
            return null;
        }
        var hole = evicted;
        evicted = null;
        return hole;
    }

    /**
     * Number after which a reader continues that has everything up to {@code afterSeq}. A number
     * that this journal never assigned is another session's: such a reader gets everything.
     */
    long resumeAfter(long afterSeq) {
        return afterSeq >= nextSeq ? 0 : afterSeq;
    }

    /** The number of the oldest entry; the next number when there is none. */
    long firstRetainedSeq() {
        return entries.isEmpty() ? nextSeq : entries.firstNumber();
    }

    long nextSeq() {
        return nextSeq;
    }

    int size() {
        return entries.size();
    }

    /** Whether a reader that has everything so far misses nothing, now or later. */
    boolean isSettled() {
        return entries.isEmpty() && droppedLines == 0 && evicted == null;
    }

    /** Bytes of all entries, large ones included. */
    long bytes() {
        return bytes + largeBytes;
    }

    /** Whether the child's output must wait and calls be refused; ends at three quarters. */
    boolean full() {
        return full;
    }

    /** Whether log lines are dropped now: who makes more of them had better wait. */
    boolean dropsLogs() {
        return droppedLines > 0;
    }

    /** Forgets everything and gives back what it holds of the shared budget. */
    void clear() {
        share.giveAll();
        entries.clear();
        evictable.clear();
        evicted = null;
        bytes = 0;
        largeBytes = 0;
        expectedBytes = 0;
        expectedLargeBytes = 0;
        droppedLines = 0;
        full = false;
    }

    private void charge(Entry entry, int sign) {
        long size = (long) sign * entry.frame().length;
        if (entry.frame().length >= limits.largeBytes()) {
            largeBytes += size;
        } else {
            bytes += size;
        }
        long memory = entry.frame().length + (long) ENTRY_BYTES;
        hold(memory, sign);
    }

    private void measure() {
        if (isOver()) {
            evict();
        }
        if (isOver()) {
            full = true;
        } else if (hasRoomForLogs()) {
            full = false;
        }
    }

    private boolean isOver() {
        return bytes + expectedBytes >= limits.maxBytes()
                || entries.size() >= limits.maxEntries()
                || share.isUsedUp();
    }

    private void evict() {
        while (!evictable.isEmpty()
                && (bytes + expectedBytes >= limits.maxBytes() / 2
                        || entries.size() >= limits.maxEntries() / 2
                        || share.isNearlyUsedUp())) {
            var entry = evictable.removeFirst();
            var _ = entries.remove(entry.seq());
            charge(entry, -1);
            evictedUpTo = entry.seq();
            long before = evicted == null ? 0 : evicted.lines();
            var output = Objects.requireNonNull(entry.output());
            evicted = new Output(before + output.lines(), output.pid());
        }
    }

    /** Whether it is filled less than a quarter: what servers notify of unasked takes no more. */
    boolean hasRoomForNotices() {
        return bytes + expectedBytes < limits.maxBytes() / 4
                && entries.size() < limits.maxEntries() / 4
                && hasRoomForLogs();
    }

    /** Whether it is filled less than three quarters. */
    boolean hasRoomForLogs() {
        return bytes + expectedBytes < limits.maxBytes() - limits.maxBytes() / 4
                && entries.size() < limits.maxEntries() - limits.maxEntries() / 4
                && !share.isNearlyUsedUp();
    }
}
