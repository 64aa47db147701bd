package dev.perigee.worker.process.network;

import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.process.Poller;
import dev.perigee.worker.process.Tenant;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that serves the networks of all instances. It owns what is watched; others reach
 * it by {@link #execute} and {@link #stop} only.
 */
final class NetworkLoop implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(NetworkLoop.class);
    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int FOREVER = -1;

    private final Poller poller = new Poller();
    private final SocketCalls calls = new SocketCalls();
    private final NetworkLimits limits;
    private final Set<InetSocketAddress> loopbackPorts;
    private final Lookups lookups;
    private final Map<Long, Watched> watched = new HashMap<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Due> due = new PriorityQueue<>();

    /** Those that have something to do. */
    private final Turns<Tenant, Carried> busy = new Turns<>();

    private final LinkedHashSet<Waiting> waiting = new LinkedHashSet<>();
    private final Set<Carried> carried = new HashSet<>();
    private final Shares shares = new Shares();
    private final LongAdder idle = new LongAdder();

    /** Whether connections ended since those that wait for room were served. */
    private boolean freed;

    private boolean sweeping;
    private long lastKey;
    private volatile int connections;
    private volatile boolean stopping;
    private volatile boolean failed;

    /** A connection that is carried; served on the loop's thread. */
    interface Carried {
        /** Its turn: does what can be done, up to its share. */
        void serve();

        /** A look, now and then, whether it has lasted too long. */
        void sweep(long nowNanos);
    }

    /** What takes connections only while there is room. */
    interface Waiting {
        /** There may be room again; on the loop's thread. */
        void retry();
    }

    private record Due(long atNanos, Runnable task) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return Long.signum(atNanos - other.atNanos);
        }
    }

    NetworkLoop(EgressGuards guards, NetworkLimits limits) {
        this.limits = limits;
        this.loopbackPorts = Set.copyOf(guards.policy().loopbackPorts());
        this.lookups = new Lookups(guards, this::execute);
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                turn();
            }
        } catch (RuntimeException | Error e) {
            failed = true;
            log.atError()
                    .setCause(e)
                    .log(
                            "No network of a server is carried any more: the worker must be restarted");
        } finally {
            runTasks();
            lookups.close();
            poller.close();
        }
    }

    private void turn() {
        int count = poller.await(timeoutMillis());
        for (int index = 0; index < count; index++) {
            long key = poller.key(index);
            if (!poller.consumeWake(key)) {
                var ready = watched.get(key);
                if (ready != null) {
                    guarded(ready::ready);
                }
            }
        }
        for (int left = busy.owners(); left > 0 && !busy.isEmpty(); left--) {
            guarded(busy.next()::serve);
        }
        runTasks();
        long now = System.nanoTime();
        for (Due first; (first = due.peek()) != null && first.atNanos() - now <= 0; ) {
            due.remove();
            guarded(first.task());
        }
        serveWaiting();
    }

    /**
     * Places are free. Those that wait the longest take them, until none is left: one whose own
     * share is used up waits on, and one to which nothing came is only watched again.
     */
    private void serveWaiting() {
        if (!freed) {
            return;
        }
        freed = false;
        for (int left = waiting.size(); left > 0 && carried.size() < limits.total(); left--) {
            guarded(waiting.removeFirst()::retry);
        }
    }

    private void runTasks() {
        for (Runnable task; (task = tasks.poll()) != null; ) {
            guarded(task);
        }
    }

    private int timeoutMillis() {
        if (!busy.isEmpty() || freed) {
            return 0;
        }
        var first = due.peek();
        if (first == null) {
            return FOREVER;
        }
        long nanos = Math.max(0, first.atNanos() - System.nanoTime());
        return (int) TimeUnit.NANOSECONDS.toMillis(nanos) + 1;
    }

    /** An error of one instance does not affect the others. */
    private static void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("Serving the network of an instance failed");
        }
    }

    /** Any thread: has it done on the loop's. */
    void execute(Runnable task) {
        tasks.add(task);
        poller.wake();
    }

    /** Any thread. */
    void stop() {
        stopping = true;
        poller.wake();
    }

    /** Any thread: whether it ended by a fault, and serves nothing any more. */
    boolean hasFailed() {
        return failed;
    }

    /** Any thread: how many connections are carried. */
    int connections() {
        return connections;
    }

    /** Any thread: connections that were broken off since they carried nothing for too long. */
    long idle() {
        return idle.sum();
    }

    void countIdle() {
        idle.increment();
    }

    int connectionsOf(Tenant owner) {
        return shares.of(owner);
    }

    void began(Carried connection, Tenant owner) {
        carried.add(connection);
        shares.add(owner);
        connections = carried.size();
        if (!sweeping) {
            sweeping = true;
            later(System.nanoTime() + SWEEP_NANOS, this::sweep);
        }
    }

    private void sweep() {
        long now = System.nanoTime();
        List.copyOf(carried).forEach(connection -> connection.sweep(now));
        sweeping = !carried.isEmpty();
        if (sweeping) {
            later(now + SWEEP_NANOS, this::sweep);
        }
    }

    void ended(Carried connection, Tenant owner) {
        carried.remove(connection);
        shares.remove(owner);
        connections = carried.size();
        freed = true;
    }

    /** Has it try again when there may be room. */
    void awaitRoom(Waiting one) {
        waiting.add(one);
    }

    void awaitNoLonger(Waiting one) {
        waiting.remove(one);
    }

    SocketCalls calls() {
        return calls;
    }

    NetworkLimits limits() {
        return limits;
    }

    Set<InetSocketAddress> loopbackPorts() {
        return loopbackPorts;
    }

    Lookups lookups() {
        return lookups;
    }

    long watchReadable(int file, Watched by) {
        poller.watchReadable(file, ++lastKey);
        watched.put(lastKey, by);
        return lastKey;
    }

    long watchChanges(int file, Watched by) {
        poller.watchChanges(file, ++lastKey);
        watched.put(lastKey, by);
        return lastKey;
    }

    /** Before the descriptor is closed. */
    void forget(int file, long key) {
        watched.remove(key);
        poller.forget(file);
    }

    void later(long atNanos, Runnable task) {
        due.add(new Due(atNanos, task));
    }

    /** Has it served when it is its owner's turn. */
    void queue(Tenant owner, Carried connection) {
        busy.add(owner, connection);
    }

    void queueNoLonger(Tenant owner, Carried connection) {
        busy.remove(owner, connection);
    }
}
