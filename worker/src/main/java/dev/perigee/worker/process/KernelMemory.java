package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Measures the memory that the kernel holds for a tree and that is no process's: tables of pages,
 * descriptions of mappings, and what is in pipes and sockets. Of pipes and sockets the most that
 * each can hold counts, since the kernel says no more of those of others; so few as usual servers
 * have do not count.
 *
 * <p>A process that has used no processor time since it was looked at is not looked at again. For
 * one thread.
 */
final class KernelMemory {
    /** Descriptors of one tree, up to which nothing is looked for among them. */
    static final int FREE_DESCRIPTORS = 1024;

    /** Sockets of one tree that do not count. */
    static final int FREE_SOCKETS = 128;

    /**
     * The most in a socket, both directions of TCP or one of the others; in a jail none can have
     * larger buffers than the kernel's usual ones.
     */
    static final long SOCKET_BYTES = 256 << 10;

    /** In a jail no pipe can be made larger than the kernel makes it. */
    private static final int PIPE_PAGES = 16;

    /**
     * Descriptors of one tree that are looked at in one look, those that were not seen first; a
     * process that has more is not looked at.
     */
    private static final int MOST_LOOKED_AT = 10_000;

    /** Descriptors of one tree, above which all count as pipes. */
    private static final int MOST_DESCRIPTORS = 50_000;

    /** Mappings of one process that do not count. */
    static final int FREE_MAPPINGS = 1024;

    /** What the kernel keeps of one. */
    private static final long MAPPING_BYTES = 256;

    /** Processes with the most mappings, after which no more of one tree are read in one look. */
    private static final int MOST_MAPPED = 64;

    /** Processor time after which a process's mappings are counted anew. */
    private static final int MAPPING_TICKS = ProcStat.TICKS_PER_SECOND / 50;

    private static final String USED = "sockets: used ";

    /** What is known of a process. */
    private static final class Known {
        private final ProcStat stat;
        private final long tableBytes;
        private final int descriptors;
        private final int mappings;

        /** Its processor time when its mappings were counted. */
        private final long mappedAt;

        /** Among those, as last seen; null where that was never so. */
        private long @Nullable [] pipes;

        /** In which look they were looked for; 0 for never. */
        private long lookedAt;

        private boolean outdated = true;

        /** Of the network of the jail that it is the first of, and how many processes that had. */
        private long sockets;

        private int members;

        Known(ProcStat stat, ProcMemory.Kept kept, @Nullable Known last, boolean maps) {
            this.stat = stat;
            this.tableBytes = kept.tableBytes();
            this.descriptors = OpenPipes.descriptors(stat.pid(), kept.descriptors());
            long counted = last == null ? 0 : last.mappedAt;
            boolean counts = maps && stat.ownTicks() - counted >= MAPPING_TICKS;
            this.mappedAt = counts ? stat.ownTicks() : counted;
            this.mappings = counts ? Mappings.count(stat.pid()) : last == null ? 0 : last.mappings;
            if (last != null) {
                this.pipes = last.pipes;
                this.lookedAt = last.lookedAt;
            }
        }

        /**
         * @param maps whether its mappings are counted where that is due
         */
        static Known of(ProcStat stat, @Nullable Known last, boolean maps) {
            boolean same = last != null && last.stat.startTime() == stat.startTime();
            return last != null && same && last.stat.ownTicks() == stat.ownTicks()
                    ? last
                    : new Known(stat, ProcMemory.kept(stat.pid()), same ? last : null, maps);
        }

        void lookForPipes(long look) {
            pipes = OpenPipes.of(stat.pid(), descriptors);
            lookedAt = look;
            outdated = false;
        }

        void isNotLookedAt(long look) {
            pipes = null;
            lookedAt = look;
            outdated = false;
        }

        long mappingBytes() {
            return Math.max(0, mappings - FREE_MAPPINGS) * MAPPING_BYTES;
        }

        /** Such a one, closed to the worker or too large to look at, may have any. */
        boolean isClosed() {
            return lookedAt > 0 && pipes == null;
        }
    }

    private final int mostLookedAt;
    private Map<Long, Known> before = Map.of();
    private Map<Long, Known> now = new HashMap<>();
    private long looks;

    /** Processes of one tree with the most mappings, in one look. */
    private int mapped;

    KernelMemory() {
        this(MOST_LOOKED_AT);
    }

    /**
     * @param mostLookedAt descriptors of one tree in one look
     */
    KernelMemory(int mostLookedAt) {
        this.mostLookedAt = mostLookedAt;
    }

    /** Called before the trees of one look: what is not seen in it is forgotten with the next. */
    void begin() {
        before = now;
        now = new HashMap<>();
        looks++;
    }

    /** In bytes, of one tree. */
    long bytes(List<ProcessEntry> members) {
        long tables = 0;
        long descriptors = 0;
        boolean ran = false;
        mapped = 0;
        var all = members.stream().map(it -> known(it.stat())).toList();
        for (var known : all) {
            tables += known.tableBytes + known.mappingBytes();
            descriptors += known.descriptors;
            ran |= !known.equals(before.get(known.stat.pid()));
        }
        long sockets = Math.max(0, sockets(members, ran) - FREE_SOCKETS);
        return tables
                + pipes(all, descriptors) * PIPE_PAGES * PageSize.bytes()
                + sockets * SOCKET_BYTES;
    }

    private Known known(ProcStat stat) {
        var known = now.get(stat.pid());
        if (known == null) {
            known = Known.of(stat, before.get(stat.pid()), mapped < MOST_MAPPED);
            now.put(stat.pid(), known);
            mapped += known.mappings == Mappings.MOST ? 1 : 0;
        }
        return known;
    }

    /** How many there are at most; those that processes share count once. */
    private long pipes(List<Known> all, long descriptors) {
        if (descriptors <= FREE_DESCRIPTORS) {
            return 0;
        }
        if (descriptors > MOST_DESCRIPTORS) {
            return descriptors;
        }
        int left = mostLookedAt;
        var outdated =
                all.stream()
                        .filter(it -> it.outdated)
                        .sorted(Comparator.comparingLong(it -> it.lookedAt))
                        .toList();
        for (var known : outdated) {
            if (known.descriptors > mostLookedAt) {
                known.isNotLookedAt(looks);
            } else if (known.descriptors <= left) {
                left -= known.descriptors;
                known.lookForPipes(looks);
            }
        }
        var pipes = new HashSet<Long>();
        long closed = 0;
        for (var known : all) {
            if (known.isClosed()) {
                closed += known.descriptors;
            } else if (known.pipes != null) {
                LongStream.of(known.pipes).forEach(pipes::add);
            }
        }
        return pipes.size() + closed;
    }

    /**
     * Those of a jail's network, also those that no process has open; 0 without one.
     *
     * @param ran whether any process has run since the last look
     */
    private long sockets(List<ProcessEntry> members, boolean ran) {
        var first = ProcessTree.firstOfJail(members);
        if (first == null) {
            return 0;
        }
        var known = known(first.stat());
        if (ran || known.members != members.size()) {
            known.members = members.size();
            known.sockets = hasItsOwnNetwork(first.pid()) ? socketsSeenBy(first.pid()) : 0;
        }
        return known.sockets;
    }

    private static boolean hasItsOwnNetwork(long pid) {
        try {
            var its = Files.readSymbolicLink(process(pid).resolve("ns/net"));
            return !its.equals(Files.readSymbolicLink(Path.of("/proc/self/ns/net")));
        } catch (IOException e) {
            return false;
        }
    }

    private static long socketsSeenBy(long pid) {
        try {
            return parse(
                    Files.readString(
                            process(pid).resolve("net/sockstat"), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return 0;
        }
    }

    static long parse(String statistics) {
        return statistics
                .lines()
                .filter(line -> line.startsWith(USED))
                .mapToLong(line -> Long.parseLong(line.substring(USED.length()).strip()))
                .findFirst()
                .orElse(0);
    }

    private static Path process(long pid) {
        return Path.of("/proc", Long.toString(pid));
    }
}
