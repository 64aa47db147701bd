package dev.perigee.worker.process;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meter of what one launched tree uses: processor time, memory over time, and how long it lives.
 * Any thread; blocks for the reading of small files.
 *
 * <p>Where the tree has a control group of v2, that counts all processor time, whoever spent it.
 * Else it is summed over the processes by {@link TreeAccount}, at the end from what the kernel adds
 * up in the first process before that is collected. Unseen remains then what a process spent after
 * the last look, if nobody waited for it.
 *
 * <p>Memory is measured at looks, and taken as changing evenly between two of them. A tree that
 * ended before its first look has used none.
 */
public final class TreeMeter {
    private static final long NANOS_PER_TICK = 1_000_000_000L / ProcStat.TICKS_PER_SECOND;
    private static final double NANOS_PER_SECOND = 1e9;

    /** Of a larger tree the others count as last seen: all servers' input waits meanwhile. */
    private static final int LAST_LOOKED_AT = 256;

    private final LongSupplier nanos;
    private final LongFunction<@Nullable ProcStat> stats;
    private final ToLongFunction<ProcessEntry> memory;
    private final TreeAccount account = new TreeAccount(-1);
    private @Nullable Enclosure enclosure;
    private @Nullable TreeId tree;
    private List<ProcessEntry> members = List.of();
    private boolean begun;
    private boolean ended;

    /** Whether the group counts processor time; what it had counted at the last look. */
    private boolean heldByGroup;

    private boolean grouped;

    private long groupNanos;
    private long endedAt;
    private long takenAt;
    private long measuredAt;
    private @Nullable Long heldBytes;
    private long cpuNanos;
    private double byteNanos;
    private long peakBytes;

    /**
     * What was used since the taking before.
     *
     * @param cpuNanos user and system time
     * @param memoryByteSeconds memory times seconds
     * @param peakBytes the most memory in one look
     * @param awakeNanos how long the tree lived
     * @param endedNanosAgo how long ago it ended, 0 while it lives
     */
    public record Use(
            long cpuNanos,
            double memoryByteSeconds,
            long peakBytes,
            long awakeNanos,
            long endedNanosAgo) {
        /** Nothing. */
        public static final Use NONE = new Use(0, 0, 0, 0, 0);
    }

    /** A meter of a tree that is not started yet. */
    public TreeMeter() {
        this(System::nanoTime, ProcStat::read, entry -> ProcMemory.read(entry.pid()));
    }

    /** With other sources. */
    TreeMeter(
            LongSupplier nanos,
            LongFunction<@Nullable ProcStat> stats,
            ToLongFunction<ProcessEntry> memory) {
        this.nanos = nanos;
        this.stats = stats;
        this.memory = memory;
    }

    /** Whether its tree was never started. */
    public synchronized boolean neverBegan() {
        return !begun;
    }

    /** The tree is about to be started in this enclosure, or in none. */
    public synchronized void starting(@Nullable Enclosure within) {
        enclosure = within;
        groupNanos = within == null ? -1 : within.cpuNanos();
        grouped = groupNanos >= 0;
        heldByGroup = within != null && within.memoryBytes() >= 0;
        takenAt = nanos.getAsLong();
        measuredAt = takenAt;
    }

    /** It was started. */
    public synchronized void begin(TreeId started) {
        begun = true;
        tree = started;
    }

    /**
     * Its first process ended, and is not yet collected: the last that can be known of it.
     *
     * @param pid of that process
     */
    public synchronized void end(long pid) {
        var first = ended ? null : stats.apply(pid);
        if (first != null && first.alive()) {
            return; // Not yet, after all.
        }
        if (!grouped && first != null && isFirst(first)) {
            spend(last(first));
        }
        end();
    }

    /** It ended, if that was not told before. */
    public synchronized void end() {
        if (ended) {
            return;
        }
        begun = true;
        ended = true;
        endedAt = nanos.getAsLong();
        spendOfGroup();
        if (heldBytes != null) {
            byteNanos += (double) heldBytes * (endedAt - measuredAt);
        }
        members = List.of();
    }

    private boolean isFirst(ProcStat stat) {
        return tree == null || tree.startTime() == 0 || tree.startTime() == stat.startTime();
    }

    /** What is left of the tree when its first process has ended. */
    private List<TreeAccount.Count> last(ProcStat first) {
        var counts = new ArrayList<TreeAccount.Count>();
        counts.add(TreeAccount.Count.ofTicks(first));
        for (var member : members.subList(0, Math.min(members.size(), LAST_LOOKED_AT))) {
            var now = member.pid() == first.pid() ? null : stats.apply(member.pid());
            if (now != null && now.startTime() == member.stat().startTime()) {
                counts.add(TreeAccount.Count.ofTicks(now));
            }
        }
        return counts;
    }

    private void spend(List<TreeAccount.Count> counts) {
        cpuNanos += account.advance(counts) * NANOS_PER_TICK;
    }

    /** A group that is gone is not counted. */
    private void spendOfGroup() {
        if (grouped && enclosure != null) {
            long now = Math.max(groupNanos, enclosure.cpuNanos());
            cpuNanos += now - groupNanos;
            groupNanos = now;
        }
    }

    /**
     * Looks at what all these use now.
     *
     * @param table read once, if it is needed at all
     */
    public static void look(Collection<TreeMeter> meters, ProcessTable table) {
        boolean reads = meters.stream().anyMatch(TreeMeter::needsProcesses);
        var snapshot = reads ? table.read() : new ProcessSnapshot(List.of());
        meters.forEach(meter -> meter.look(snapshot));
    }

    private synchronized boolean needsProcesses() {
        return isLive() && !(grouped && heldByGroup);
    }

    /** Looks at what it uses now; reads without the lock, for which the end of a process waits. */
    void look(ProcessSnapshot snapshot) {
        TreeId of;
        Enclosure within;
        synchronized (this) {
            of = isLive() ? tree : null;
            within = enclosure;
        }
        if (of == null) {
            return;
        }
        long first = of.pid();
        var now = ProcessTree.of(of, snapshot);
        // Where the first process has just ended its end says the rest, which would count twice.
        boolean whole = now.stream().anyMatch(member -> member.pid() == first);
        long bytes = within == null ? -1 : within.memoryBytes();
        if (bytes < 0 && whole) {
            bytes = now.stream().mapToLong(memory).sum();
        }
        seen(whole ? now : List.of(), bytes);
    }

    private synchronized void seen(List<ProcessEntry> now, long bytes) {
        if (ended) {
            return;
        }
        spendOfGroup();
        if (!grouped && !now.isEmpty()) {
            members = now;
            spend(now.stream().map(it -> TreeAccount.Count.ofTicks(it.stat())).toList());
        }
        if (bytes >= 0) {
            hold(bytes);
        }
    }

    private void hold(long bytes) {
        long at = nanos.getAsLong();
        double before = heldBytes == null ? bytes : heldBytes;
        byteNanos += (before + bytes) / 2 * (at - measuredAt);
        measuredAt = at;
        heldBytes = bytes;
        peakBytes = Math.max(peakBytes, bytes);
    }

    /** What was used since this was called last; at first since the start. */
    public synchronized Use take() {
        if (!begun) {
            return Use.NONE;
        }
        long now = nanos.getAsLong();
        long until = ended ? endedAt : now;
        var use =
                new Use(
                        cpuNanos,
                        byteNanos / NANOS_PER_SECOND,
                        peakBytes,
                        until - takenAt,
                        now - until);
        cpuNanos = 0;
        byteNanos = 0;
        peakBytes = heldBytes == null || ended ? 0 : heldBytes;
        takenAt = until;
        return use;
    }

    /** Whether the tree was started and has not ended. */
    public synchronized boolean isLive() {
        return begun && !ended;
    }

    /** Whether it has ended. */
    public synchronized boolean isOver() {
        return ended;
    }
}
