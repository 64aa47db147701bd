package dev.perigee.worker.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the homes of the watched trees, one after the other, on a thread of its own, and ends
 * the trees of a home that is over its limit. It rests nine times as long as a walk took, so that
 * walking takes a tenth of one processor at most; not while somebody fills the disk of all: then it
 * ends whoever has most, see {@link DiskPressure}.
 */
final class HomeWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HomeWatch.class);
    private static final int REST = 9;

    /** Homes that are remembered as full; the oldest is forgotten, and found again by a walk. */
    private static final int REMEMBERED = 10_000;

    private final ProcessTable table;
    private final Set<WatchedTree> watched;
    private final Duration pace;
    private final DiskReserve reserve;
    private final DiskPressure pressure;
    private final DiskPressure filePressure;
    private final Set<Path> full =
            Collections.synchronizedSet(
                    Collections.newSetFromMap(
                            new LinkedHashMap<>() {
                                @Override
                                protected boolean removeEldestEntry(Map.Entry<Path, Boolean> it) {
                                    return size() > REMEMBERED;
                                }
                            }));
    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    /**
     * @param watched all trees that live, another's to change
     * @param pace the shortest time between two walks of all homes
     */
    HomeWatch(ProcessTable table, Set<WatchedTree> watched, Duration pace, DiskReserve reserve) {
        this.table = table;
        this.watched = watched;
        this.pace = pace;
        this.reserve = reserve;
        this.pressure = new DiskPressure(reserve.bytes());
        this.filePressure = new DiskPressure(reserve.files());
    }

    void start() {
        thread = Thread.ofPlatform().daemon().name("home-watch").start(this::run);
    }

    /** Something is watched that was not, or the disk is nearly full. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** Measures a home that was full, in the caller's thread; null when it is not, any more. */
    @Nullable LimitEnd refusal(Path home, TreeLimits limits) {
        if (!full.contains(home)) {
            return null;
        }
        var size = HomeSize.measure(home, limits.diskBytes(), limits.diskFiles());
        var end = size == null ? null : limits.disk(size);
        if (end == null) {
            full.remove(home);
        }
        return end;
    }

    private void run() {
        while (!closed) {
            var homes = new HashMap<Path, TreeLimits>();
            for (var tree : watched) {
                var home = tree.home();
                if (home != null) {
                    homes.put(home, tree.limits());
                }
            }
            if (homes.isEmpty()) {
                LockSupport.park(this);
                continue;
            }
            var sizes = new HashMap<Path, Held>();
            homes.forEach((home, limits) -> sizes.put(home, measure(home, limits)));
            try {
                relieve(sizes);
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("Cannot relieve the disk of all servers");
            }
            rest(pace.toNanos(), this::isHurried);
        }
    }

    private boolean isHurried() {
        return closed
                || pressure.isUrgent(reserve.freeBytes().getAsLong())
                || filePressure.isUrgent(reserve.freeFiles().getAsLong());
    }

    /**
     * What a home holds.
     *
     * @param files and directories
     */
    private record Held(long bytes, long files) {}

    /** One for each; while the disk goes on being filled the next walk finds the next. */
    private void relieve(Map<Path, Held> sizes) {
        long bytes = reserve.freeBytes().getAsLong();
        if (pressure.ends(bytes)) {
            log.atWarn()
                    .addKeyValue("free_bytes", bytes)
                    .addKeyValue("reserve_bytes", reserve.bytes())
                    .log("The disk of all servers is nearly full: nothing is started on it");
            end(
                    uses(sizes, Held::bytes),
                    pressure,
                    it -> TreeLimits.sharedDisk(it, bytes, reserve.bytes()));
        }
        long files = reserve.freeFiles().getAsLong();
        if (filePressure.ends(files)) {
            log.atWarn()
                    .addKeyValue("free_files", files)
                    .addKeyValue("reserve_files", reserve.files())
                    .log("Few files can be made on the disk of all servers: nothing is started");
            end(
                    uses(sizes, Held::files),
                    filePressure,
                    it -> TreeLimits.sharedFiles(it, files, reserve.files()));
        }
    }

    /** Of homes of trees that are not being ended. */
    private List<SharedUse<Path>> uses(Map<Path, Held> sizes, ToLongFunction<Held> what) {
        var uses = new ArrayList<SharedUse<Path>>();
        sizes.forEach(
                (home, held) ->
                        trees(home).stream()
                                .filter(tree -> tree.end() == null)
                                .findFirst()
                                .ifPresent(
                                        tree ->
                                                uses.add(
                                                        new SharedUse<>(
                                                                home,
                                                                tree.tenant(),
                                                                what.applyAsLong(held)))));
        return uses;
    }

    private void end(
            List<SharedUse<Path>> uses,
            DiskPressure of,
            Function<SharedUse.Excess<Path>, LimitEnd> why) {
        var largest = SharedUse.largest(uses);
        if (largest != null && of.isMuch(largest.tenantUsed())) {
            log.atWarn().addKeyValue("home", largest.tree()).log("Ended for the disk of all");
            var end = why.apply(largest);
            trees(largest.tree()).forEach(tree -> tree.end(end));
        }
    }

    /** What it holds, nothing where that cannot be seen. */
    private Held measure(Path home, TreeLimits limits) {
        long began = System.nanoTime();
        var held = new Held(0, 0);
        try {
            var size =
                    closed ? null : HomeSize.measure(home, limits.diskBytes(), limits.diskFiles());
            var end = size == null ? null : limits.disk(size);
            held = size == null ? held : new Held(size.bytes(), size.files());
            if (end != null) {
                full.add(home);
                trees(home).forEach(tree -> tree.end(end));
            } else if (size != null) {
                held = new Held(held.bytes() + measureRemoved(home, size), held.files());
            }
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("home", home)
                    .setCause(e)
                    .log("Cannot measure a home directory");
        }
        rest(REST * (System.nanoTime() - began), this::isHurried);
        return held;
    }

    /** These go with the tree that has them open; nothing is left of them at its next start. */
    private long measureRemoved(Path home, HomeSize size) {
        var snapshot = table.read();
        long bytes = 0;
        for (var tree : trees(home)) {
            var members = ProcessTree.of(tree.id(), snapshot);
            var removed = RemovedFiles.of(members, home, RemovedFiles.Most.USUAL);
            bytes += removed.bytes();
            var end =
                    removed.complete()
                            ? tree.limits().disk(size.with(removed.bytes()))
                            : TreeLimits.uncountable();
            if (end != null) {
                tree.end(end);
            }
        }
        return bytes;
    }

    private List<WatchedTree> trees(Path home) {
        return watched.stream().filter(tree -> home.equals(tree.home())).toList();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    /** All of it, also when something new is to be watched meanwhile. */
    static void rest(long nanos, BooleanSupplier closed) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos;
                left > 0 && !closed.getAsBoolean();
                left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
