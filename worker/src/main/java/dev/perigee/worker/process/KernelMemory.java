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
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;

/**
 * Measures the memory that the kernel holds for a tree and that is no process's: tables of pages,
 * descriptions of mappings, and what is in pipes and sockets. Of pipes and sockets the most that
 * each can hold counts, since the kernel says no more of those of others; so few as usual servers
 * have do not count.
 *
 * <p>A process that has used no processor time since it was looked at is looked at again by chance
 * only, at one look of eight: the kernel counts that time in ticks, within one of which a process
 * takes over a thousand pipes of another. Where a tree's part of {@link LookTime} is over, its
 * other processes count as they did before, those that are new not at all, and the next look begins
 * with those that have waited longest. One process and one process's descriptors are looked at in
 * any case. For one thread.
 */
final class KernelMemory {
    /** Descriptors of one tree, up to which nothing is looked for among them. */
    static final int FREE_DESCRIPTORS = 1024;

    /** In a jail no pipe can be made larger than the kernel makes it. */
    private static final int PIPE_PAGES = 16;

    /** Descriptors of one tree that are looked at in one look; more of a process never are. */
    private static final int MOST_LOOKED_AT = 10_000;

    /** Descriptors of one tree, above which all count as pipes. */
    private static final int MOST_DESCRIPTORS = 50_000;

    /** A look of so many is one in which a process is looked at that has not run. */
    private static final int LOOKS_BY_CHANCE = 8;

    private final LookTime time;
    private final int mostLookedAt;
    private final BooleanSupplier chance;
    private Map<Long, KernelShare> before = Map.of();
    private Map<Long, KernelShare> now = new HashMap<>();
    private long looks;

    KernelMemory(LookTime time) {
        // Nobody can foresee it and have his pipes elsewhere then.
        this(time, MOST_LOOKED_AT, () -> ThreadLocalRandom.current().nextInt(LOOKS_BY_CHANCE) == 0);
    }

    /**
     * @param mostLookedAt descriptors of one tree in one look
     * @param chance whether a process is looked at that has not run
     */
    KernelMemory(LookTime time, int mostLookedAt, BooleanSupplier chance) {
        this.time = time;
        this.mostLookedAt = mostLookedAt;
        this.chance = chance;
    }

    /** Called before the trees of one look: what is not seen in it is forgotten with the next. */
    void begin() {
        before = now;
        now = new HashMap<>();
        looks++;
    }

    /**
     * Of one tree, in bytes.
     *
     * @param counted toward its own limit
     * @param uncounted the most in what does not count toward it
     */
    record Held(long counted, long uncounted) {
        static final Held NOTHING = new Held(0, 0);
    }

    Held measure(List<ProcessEntry> members) {
        var all = members.stream().map(it -> known(it.stat())).toList();
        boolean ran = all.stream().anyMatch(KernelShare::isDue);
        read(all);
        long tables = 0;
        long descriptors = 0;
        for (var share : all) {
            tables += share.tableBytes() + share.mappingBytes();
            descriptors += share.descriptors();
        }
        long pipes;
        try (var part = time.ofPipes()) {
            pipes = pipes(all, descriptors, part);
        }
        var sockets = sockets(members, ran);
        // A pipe keeps what is in it when one of its ends is closed.
        long free = descriptors <= FREE_DESCRIPTORS ? descriptors : 0;
        long underWay =
                all.stream().anyMatch(KernelShare::hasFilesUnderWay) ? FilesUnderWay.MOST : 0;
        return new Held(
                tables + pipeBytes(pipes) + sockets.counted(),
                pipeBytes(free + underWay) + sockets.uncounted());
    }

    private static long pipeBytes(long pipes) {
        return pipes * PIPE_PAGES * PageSize.bytes();
    }

    private KernelShare known(ProcStat stat) {
        return now.computeIfAbsent(
                stat.pid(),
                pid -> KernelShare.of(stat, before.get(pid), looks, chance.getAsBoolean()));
    }

    /** Those that may have run since they were read last. */
    private void read(List<KernelShare> all) {
        var waiting =
                all.stream()
                        .filter(KernelShare::isDue)
                        .sorted(Comparator.comparingLong(KernelShare::dueSince))
                        .toList();
        try (var part = time.ofKernel()) {
            boolean first = true;
            for (var share : waiting) {
                if (!first && !part.isLeft()) {
                    return;
                }
                share.read(time.ofReading()::isLeft);
                first = false;
            }
        }
    }

    /** How many there are at most; those that processes share count once. */
    private long pipes(List<KernelShare> all, long descriptors, LookTime.Part part) {
        if (descriptors <= FREE_DESCRIPTORS) {
            return 0;
        }
        if (descriptors > MOST_DESCRIPTORS) {
            return descriptors;
        }
        lookForPipes(all, part);
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

    private void lookForPipes(List<KernelShare> all, LookTime.Part part) {
        var waiting =
                all.stream()
                        .filter(KernelShare::isOutdated)
                        .sorted(Comparator.comparingLong(KernelShare::outdatedSince))
                        .toList();
        int most = mostLookedAt;
        boolean first = true;
        for (var share : waiting) {
            if (share.descriptors() > mostLookedAt) {
                share.isNotLookedAt(looks);
            } else if (share.descriptors() <= most && (first || part.isLeft())) {
                most -= share.descriptors();
                share.lookForPipes(looks);
                first = false;
            }
        }
    }

    /**
     * Those of a jail's network; none without one.
     *
     * @param ran whether any process may have run since the last look
     */
    private JailSockets sockets(List<ProcessEntry> members, boolean ran) {
        var first = ProcessTree.firstOfJail(members);
        if (first == null) {
            return JailSockets.NONE;
        }
        var share = known(first.stat());
        if (ran || share.members() != members.size()) {
            share.sockets(
                    hasItsOwnNetwork(first.pid()) ? socketsSeenBy(first.pid()) : JailSockets.NONE,
                    members.size());
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

    private static JailSockets socketsSeenBy(long pid) {
        var network = process(pid).resolve("net");
        return JailSockets.parse(
                text(network.resolve("sockstat")), text(network.resolve("sockstat6")));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    private static Path process(long pid) {
        return Path.of("/proc", Long.toString(pid));
    }
}
