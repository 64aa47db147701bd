package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the promise that no child outlives its worker. A small helper process, in a session of its
 * own, reads a lease pipe; at its end, or when no beat came for the retention, it kills every
 * process tree of this worker. So it works when the worker is killed and when it is frozen.
 *
 * <pre>
 *              helper killed: start another, register all again
 *                  ┌──────────┐      no beat for the retention, or helper ended by itself
 *   start ──▶ Guarding ◀──────┘ ──────────────────────────▶ Lost: nothing may be started any more
 *                  │
 *                  └── close ──▶ Closed: the helper kills what is left and ends
 * </pre>
 *
 * A worker that thaws after the retention learns here that its children are dead and that others
 * may have started them elsewhere: whichever of the two notices the gap, the lease is lost for
 * good.
 */
public final class Watchdog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Watchdog.class);
    private static final int BEATS_PER_RETENTION = 10;
    private static final Duration END_LIMIT = Duration.ofSeconds(20);

    private final ProcessOwner owner;
    private final Duration retention;
    private final WatchdogHelper helper;
    private final Runnable onLost;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<TreeId> registered = new LinkedHashSet<>();
    private volatile @Nullable ChildProcess current;
    private @Nullable ExitStatus ended;
    private long lastBeat;
    private volatile boolean lost;
    private boolean closed;

    private Watchdog(
            ProcessOwner owner, Duration retention, ProcessLauncher launcher, Runnable onLost) {
        this.owner = owner;
        // The helper's shell counts whole seconds; both sides must count the same.
        this.retention = Duration.ofSeconds(Math.max(1, (retention.toMillis() + 999) / 1000));
        this.helper = new WatchdogHelper(owner, this.retention, launcher);
        this.onLost = onLost;
    }

    /**
     * Starts guarding.
     *
     * @param retention how long the worker may be silent, rounded up to whole seconds; the same as
     *     the link's
     * @param onLost called once, on the watchdog's thread, when the lease was lost: everything the
     *     worker had started is dead and the worker should end
     * @throws LaunchException when the helper cannot be started; the worker must not start either
     */
    public static Watchdog start(
            ProcessOwner owner, Duration retention, ProcessLauncher launcher, Runnable onLost)
            throws LaunchException {
        var watchdog = new Watchdog(owner, retention, launcher, onLost);
        watchdog.startHelper();
        Thread.ofPlatform().daemon().name("watchdog").start(watchdog::run);
        return watchdog;
    }

    /** Adds a child's session to what dies with the worker. */
    public void register(TreeId tree) {
        lock.lock();
        try {
            registered.add(tree);
            send(line("add", tree));
        } finally {
            lock.unlock();
        }
    }

    /** Takes out a child whose tree is dead. */
    public void unregister(TreeId tree) {
        lock.lock();
        try {
            if (registered.remove(tree)) {
                send(line("drop", tree));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the lease is held. When it is not, the worker was frozen longer than the retention:
     * its children are dead or dying, and a child started now might be a second one.
     */
    public boolean held() {
        lock.lock();
        try {
            return !lost && !closed && !expired();
        } finally {
            lock.unlock();
        }
    }

    /** The helper's process id, 0 while there is none. */
    public long pid() {
        lock.lock();
        try {
            return current == null ? 0 : current.pid();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the lease: the helper kills what is still registered and ends. Waits for it, bounded. To
     * be called when all children were ended in order.
     */
    @Override
    public void close() {
        ChildProcess last;
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            last = current;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.closeStdin();
            try {
                if (!last.awaitExit(END_LIMIT)) {
                    log.atWarn()
                            .addKeyValue("pid", last.pid())
                            .log("The watchdog has not ended in time");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run() {
        try {
            while (tick()) {
                log.atTrace().log("Beat");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One beat, or what the helper's end asks for; false when there is nothing to do any more. */
    private boolean tick() throws InterruptedException {
        ExitStatus end;
        lock.lock();
        try {
            var nanos = retention.toNanos() / BEATS_PER_RETENTION;
            while (!closed && ended == null && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            if (closed) {
                return false;
            }
            end = ended;
            lost = expired() || (end != null && end.code() != null);
            if (!lost && end == null) {
                send("beat\n");
                return true;
            }
        } finally {
            lock.unlock();
        }
        if (!lost) {
            log.atWarn().addKeyValue("end", end).log("The watchdog died: starting another");
        } else {
            log.atError()
                    .addKeyValue("worker_id", owner.workerId())
                    .log("This worker was silent for the retention: its processes are killed");
        }
        if (end == null || end.code() == null) {
            restartOrRelease(end == null);
        }
        if (lost) {
            onLost.run();
        }
        return !lost;
    }

    private boolean expired() {
        return System.nanoTime() - lastBeat >= retention.toNanos();
    }

    /** A helper that is dead is replaced; when the lease is lost, it is sent to work at once. */
    private void restartOrRelease(boolean alive) throws InterruptedException {
        try {
            if (!alive) {
                startHelper();
            }
            var helperProcess = current;
            if (lost && helperProcess != null) {
                helperProcess.closeStdin();
            }
        } catch (LaunchException e) {
            log.atError().setCause(e).log("No watchdog can be started: processes may be left");
            // The next beat tries again; without a pause it would come at once.
            Thread.sleep(Duration.ofNanos(retention.toNanos() / BEATS_PER_RETENTION));
        }
    }

    private void startHelper() throws LaunchException {
        var started = helper.start(this::helperEnded);
        lock.lock();
        try {
            current = started.process();
            ended = started.ended();
            lastBeat = lost ? lastBeat : System.nanoTime();
            registered.forEach(tree -> send(line("add", tree)));
            if (closed) {
                current.closeStdin();
            }
        } finally {
            lock.unlock();
        }
    }

    private void helperEnded(ChildProcess process, ExitStatus status) {
        lock.lock();
        try {
            if (process.equals(current)) {
                ended = status;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private static String line(String verb, TreeId tree) {
        return verb + ' ' + tree.pid() + ' ' + tree.startTime() + '\n';
    }

    /** Only what was handed over while the lease was held counts as a beat. */
    private void send(String text) {
        var helperProcess = current;
        if (helperProcess == null) {
            return;
        }
        try {
            helperProcess.write(text.getBytes(StandardCharsets.US_ASCII), Duration.ZERO);
            if (!expired()) {
                lastBeat = System.nanoTime();
            }
        } catch (IOException e) {
            log.atDebug().setCause(e).log("Cannot write to the watchdog");
        }
    }
}
