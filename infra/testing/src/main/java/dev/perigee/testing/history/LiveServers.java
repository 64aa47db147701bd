package dev.perigee.testing.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the machine's processes every 50 ms for two that serve the same instance. A server is
 * known by a variable of its environment, see {@link #mark}. Closed by the thread that opened it.
 */
public final class LiveServers implements AutoCloseable {

    /** The variable that a server's configuration sets to its {@link #mark}. */
    public static final String VARIABLE = "HISTORY_PROCESS";

    /** Other runs on this machine have fleets of their own, with instances of the same names. */
    private static final String RUN = ProcessHandle.current().pid() + "/";

    private static final Path PROC = Path.of("/proc");
    private static final long PERIOD_MS = 50;

    /**
     * A process that is being started still has its parent's environment: it is asked this often,
     * and then at every so many looks, since a busy machine starts it late.
     */
    private static final int LOOKS = 5;

    private static final int SELDOM = 20;

    private final Map<Long, Served> known = new HashMap<>();
    private final Map<String, Set<Long>> twins = new HashMap<>();
    private final List<String> doubles = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Map<String, Set<Long>> now = Map.of();
    private final AtomicLong looks = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();
    private final Thread thread = Thread.ofPlatform().name("live-servers").unstarted(this::watch);

    /** What a process serves, empty for nothing, and how often it was looked at. */
    private record Served(String processId, int looks) {
        static Served next(long pid, @Nullable Served before) {
            if (before == null) {
                return new Served(LiveServers.served(pid), 1);
            }
            if (!before.processId.isEmpty()) {
                return before;
            }
            int looks = before.looks + 1;
            boolean asks = looks <= LOOKS || looks % SELDOM == 0;
            return new Served(asks ? LiveServers.served(pid) : "", looks);
        }
    }

    private LiveServers() {}

    /** What tells a server of this run and its process id. */
    public static String mark(String processId) {
        return RUN + processId;
    }

    /** Begins to look. */
    public static LiveServers watching() {
        var servers = new LiveServers();
        servers.thread.start();
        return servers;
    }

    /** What was seen and must not have been. */
    public List<String> doubles() {
        return List.copyOf(doubles);
    }

    /** The processes that were seen last, by what they serve. */
    public Map<String, Set<Long>> now() {
        return now;
    }

    /** How often it looked so far. */
    public long looks() {
        return looks.get();
    }

    /** The longest time between two looks. */
    public Duration longestGap() {
        return Duration.ofNanos(longestNanos.get());
    }

    private void watch() {
        try {
            for (long last = System.nanoTime(); !closed.await(PERIOD_MS, TimeUnit.MILLISECONDS); ) {
                look();
                long now = System.nanoTime();
                longestNanos.accumulateAndGet(now - last, Math::max);
                looks.incrementAndGet();
                last = now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        var running = running();
        known.keySet().retainAll(running);
        running.forEach(pid -> known.compute(pid, Served::next));
        var live = new HashMap<String, Set<Long>>();
        known.forEach(
                (pid, served) -> {
                    if (!served.processId().isEmpty() && isAlive(pid)) {
                        live.computeIfAbsent(served.processId(), _ -> new TreeSet<>()).add(pid);
                    }
                });
        now = Map.copyOf(live);
        live.forEach(
                (processId, pids) -> {
                    if (pids.size() > 1 && !pids.equals(twins.put(processId, pids))) {
                        doubles.add("two live processes of " + processId + ": " + pids);
                    }
                });
    }

    /** By the names below /proc alone: {@link ProcessHandle} opens a file of each process. */
    private static Set<Long> running() {
        var running = new TreeSet<Long>();
        var names = Objects.requireNonNull(PROC.toFile().list(), "no " + PROC);
        for (var name : names) {
            if (Character.isDigit(name.charAt(0))) {
                running.add(Long.valueOf(name));
            }
        }
        return running;
    }

    /**
     * The process id that a process of this run serves; empty for all others and for what has just
     * ended.
     */
    private static String served(long pid) {
        var mark = VARIABLE + "=" + RUN;
        for (var variable : read(pid, "environ").split("\0")) {
            if (variable.startsWith(mark)) {
                return variable.substring(mark.length());
            }
        }
        return "";
    }

    /** Whether a process runs; one that has ended and that its parent did not see does not. */
    public static boolean isAlive(long pid) {
        var stat = read(pid, "stat");
        var state = stat.substring(stat.lastIndexOf(')') + 1).strip();
        return !state.isEmpty() && !state.startsWith("Z") && !state.startsWith("X");
    }

    private static String read(long pid, String file) {
        try {
            var bytes = Files.readAllBytes(PROC.resolve(Long.toString(pid)).resolve(file));
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
