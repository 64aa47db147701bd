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

/**
 * Measures the memory that the kernel holds for a tree and that is no process's: tables of pages,
 * descriptions of mappings, and what is in pipes and sockets. Of pipes and sockets the most that
 * each can hold counts, since the kernel says no more of those of others; so few as usual servers
 * have do not count.
 *
 * <p>A process that has used no processor time since it was looked at is not looked at again. Where
 * a tree's part of {@link LookTime} is over, its other processes count as they did before, those
 * that are new not at all, and the next look begins with those that have waited longest. One
 * process and one process's descriptors are looked at in any case. For one thread.
 */
final class KernelMemory {
    /** Descriptors of one tree, up to which nothing is looked for among them. */
    static final int FREE_DESCRIPTORS = 1024;

    /** Sockets of one tree that do not count. */
    static final int FREE_SOCKETS = 128;

    /**
     * The most in a socket in one direction; in a jail none can have larger buffers than the
     * kernel's usual ones.
     */
    static final long SOCKET_BYTES = 256 << 10;

    /** In a jail no pipe can be made larger than the kernel makes it. */
    private static final int PIPE_PAGES = 16;

    /** Descriptors of one tree that are looked at in one look; more of a process never are. */
    private static final int MOST_LOOKED_AT = 10_000;

    /** Descriptors of one tree, above which all count as pipes. */
    private static final int MOST_DESCRIPTORS = 50_000;

    private final LookTime time;
    private final int mostLookedAt;
    private Map<Long, KernelShare> before = Map.of();
    private Map<Long, KernelShare> now = new HashMap<>();
    private long looks;

    KernelMemory(LookTime time) {
        this(time, MOST_LOOKED_AT);
    }

    /**
     * @param mostLookedAt descriptors of one tree in one look
     */
    KernelMemory(LookTime time, int mostLookedAt) {
        this.time = time;
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
        var all = members.stream().map(it -> known(it.stat())).toList();
        boolean ran = all.stream().anyMatch(KernelShare::isDue);
        read(all);
        long tables = 0;
        long descriptors = 0;
        for (var share : all) {
            tables += share.tableBytes() + share.mappingBytes();
            descriptors += share.descriptors();
        }
        return tables
                + pipes(all, descriptors) * PIPE_PAGES * PageSize.bytes()
                + sockets(members, ran) * SOCKET_BYTES;
    }

    private KernelShare known(ProcStat stat) {
        return now.computeIfAbsent(stat.pid(), pid -> KernelShare.of(stat, before.get(pid), looks));
    }

    /** Those that ran since they were read last. */
    private void read(List<KernelShare> all) {
        var waiting =
                all.stream()
                        .filter(KernelShare::isDue)
                        .sorted(Comparator.comparingLong(KernelShare::dueSince))
                        .toList();
        var left = time.ofKernel();
        boolean first = true;
        for (var share : waiting) {
            if (!first && !left.getAsBoolean()) {
                return;
            }
            share.read(left);
            first = false;
        }
    }

    /** How many there are at most; those that processes share count once. */
    private long pipes(List<KernelShare> all, long descriptors) {
        if (descriptors <= FREE_DESCRIPTORS) {
            return 0;
        }
        if (descriptors > MOST_DESCRIPTORS) {
            return descriptors;
        }
        lookForPipes(all);
        var pipes = new HashSet<Long>();
        long closed = 0;
        for (var share : all) {
            var its = share.pipes();
            if (share.isClosed()) {
                closed += share.descriptors();
            } else if (its != null) {
                LongStream.of(its).forEach(pipes::add);
            }
        }
        return pipes.size() + closed;
    }

    private void lookForPipes(List<KernelShare> all) {
        var waiting =
                all.stream()
                        .filter(KernelShare::isOutdated)
                        .sorted(Comparator.comparingLong(KernelShare::lookedAt))
                        .toList();
        int most = mostLookedAt;
        var left = time.ofKernel();
        boolean first = true;
        for (var share : waiting) {
            if (share.descriptors() > mostLookedAt) {
                share.isNotLookedAt(looks);
            } else if (share.descriptors() <= most && (first || left.getAsBoolean())) {
                most -= share.descriptors();
                share.lookForPipes(looks);
                first = false;
            }
        }
    }

    /**
     * Those of a jail's network beyond the free ones, also those that no process has open; those of
     * TCP, which hold as much in each direction, twice. 0 without such a network.
     *
     * @param ran whether any process has run since the last look
     */
    private long sockets(List<ProcessEntry> members, boolean ran) {
        var first = ProcessTree.firstOfJail(members);
        if (first == null) {
            return 0;
        }
        var share = known(first.stat());
        if (ran || share.members() != members.size()) {
            share.sockets(
                    hasItsOwnNetwork(first.pid()) ? socketsSeenBy(first.pid()) : 0, members.size());
        }
        return share.sockets();
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
        var network = process(pid).resolve("net");
        return counted(text(network.resolve("sockstat")), text(network.resolve("sockstat6")));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** From what the kernel says of both versions of the internet's protocol. */
    static long counted(String statistics, String statistics6) {
        long tcp = number(statistics, "TCP: inuse ") + number(statistics6, "TCP6: inuse ");
        return Math.max(0, number(statistics, "sockets: used ") - FREE_SOCKETS)
                + Math.max(0, tcp - FREE_SOCKETS);
    }

    /** The one that follows; 0 where nothing does. */
    private static long number(String statistics, String name) {
        return statistics
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length()).split(" ", -1)[0]))
                .findFirst()
                .orElse(0);
    }

    private static Path process(long pid) {
        return Path.of("/proc", Long.toString(pid));
    }
}
