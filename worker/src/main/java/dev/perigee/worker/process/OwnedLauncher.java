package dev.perigee.worker.process;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The launcher that a worker uses: whatever it starts is marked as this worker's, guarded by the
 * watchdog, and after its exit cleared of what it left behind. Refuses to start anything once the
 * watchdog's lease is lost.
 */
public final class OwnedLauncher implements ProcessLauncher {

    private static final Logger log = LoggerFactory.getLogger(OwnedLauncher.class);

    private final ProcessLauncher launcher;
    private final ProcessOwner owner;
    private final Watchdog watchdog;
    private final Termination termination;
    private final Duration grace;
    private final @Nullable LimitWatch limits;
    private final AtomicLong numbers = new AtomicLong();

    /** Wraps a launcher, and watches no limits. */
    public OwnedLauncher(
            ProcessLauncher launcher,
            ProcessOwner owner,
            Watchdog watchdog,
            Termination termination,
            Duration grace) {
        this(launcher, owner, watchdog, termination, grace, null);
    }

    /**
     * Wraps a launcher, which stays the caller's to close.
     *
     * @param grace what a process that outlived its exited parent is given between SIGTERM and
     *     SIGKILL
     * @param limits ends what uses more than its enclosure allows; the caller's to close
     */
    public OwnedLauncher(
            ProcessLauncher launcher,
            ProcessOwner owner,
            Watchdog watchdog,
            Termination termination,
            Duration grace,
            @Nullable LimitWatch limits) {
        this.launcher = launcher;
        this.owner = owner;
        this.watchdog = watchdog;
        this.termination = termination;
        this.grace = grace;
        this.limits = limits;
    }

    @Override
    public ChildProcess launch(LaunchSpec spec, ChildListener listener) throws LaunchException {
        var guard = new Guard(listener, spec.enclosure());
        var child = start(spec, guard);
        guard.watch(child);
        watchdog.register(child.tree());
        guard.started.complete(child.tree());
        try {
            // The worker may have been frozen between the check and the start.
            requireLease();
        } catch (LaunchException e) {
            guard.refused = true;
            child.signal(ProcessSignal.KILL);
            throw e;
        }
        return child;
    }

    private ChildProcess start(LaunchSpec spec, Guard guard) throws LaunchException {
        boolean started = false;
        try {
            requireLease();
            requireDisk(spec.enclosure());
            var mark = owner.marker(numbers.incrementAndGet());
            var child = launcher.launch(spec.with(ProcessOwner.VARIABLE, mark), guard);
            started = true;
            return child;
        } finally {
            if (!started) {
                guard.release();
            }
        }
    }

    @Override
    public boolean mayLaunch() {
        return watchdog.held();
    }

    private void requireLease() throws LaunchException {
        if (!mayLaunch()) {
            throw new LaunchException(
                    LaunchException.Reason.CLOSED,
                    "This worker is stopping, or was frozen longer than its retention and must be"
                            + " restarted: nothing is started");
        }
    }

    /** What a full home ended stays ended until there is room. */
    private void requireDisk(@Nullable Enclosure enclosure) throws LaunchException {
        if (enclosure == null || limits == null) {
            return;
        }
        var reserved = limits.reserved(enclosure.home());
        if (reserved != null) {
            throw new LaunchException(LaunchException.Reason.DISK_RESERVE, reserved);
        }
        var full = limits.refusal(enclosure.home(), enclosure.limits());
        if (full != null) {
            throw new LaunchException(
                    LaunchException.Reason.DISK_FULL,
                    "Not started, %s: install it anew, or have an operator remove files from its home or raise isolation.disk"
                            .formatted(full.message()));
        }
    }

    @Override
    public void close() {}

    private void clear(Guard guard) {
        var tree = guard.started.join();
        try {
            if (termination.finish(tree, grace) != Termination.Result.SURVIVED) {
                watchdog.unregister(tree);
                guard.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("pid", tree.pid())
                    .setCause(e)
                    .log("Cleanup after a process failed");
        }
    }

    /** Passes everything on, and has the tree cleared after the exit. */
    private final class Guard implements ChildListener {

        private final ChildListener listener;
        private final @Nullable Enclosure enclosure;
        private final CompletableFuture<TreeId> started = new CompletableFuture<>();
        private volatile boolean refused;
        private @Nullable WatchedTree watched;
        private boolean ended;

        Guard(ChildListener listener, @Nullable Enclosure enclosure) {
            this.listener = listener;
            this.enclosure = enclosure;
        }

        void release() {
            if (enclosure != null) {
                enclosure.release();
            }
        }

        /** A process that has ended already is not watched. */
        synchronized void watch(ChildProcess child) {
            if (limits != null && enclosure != null && !ended) {
                watched = limits.watch(child, enclosure);
            }
        }

        /** How it ended, and by which limit. Before the enclosure is released. */
        private synchronized ExitStatus ended(ExitStatus status) {
            ended = true;
            if (limits == null || watched == null) {
                return status;
            }
            limits.forget(watched);
            return limits.explain(watched, status);
        }

        @Override
        public void onStdout(ByteBuffer bytes) {
            if (!refused) {
                listener.onStdout(bytes);
            }
        }

        @Override
        public void onStderr(ByteBuffer bytes) {
            if (!refused) {
                listener.onStderr(bytes);
            }
        }

        @Override
        public void onEnding(long pid) {
            if (!refused) {
                listener.onEnding(pid);
            }
        }

        @Override
        public void onExit(ExitStatus status) {
            var explained = ended(status);
            try {
                if (!refused) {
                    listener.onExit(explained); // Reads what the group has counted to the end.
                }
            } finally {
                var _ = Thread.ofVirtual().name("child-clear").start(() -> clear(this));
            }
        }

        @Override
        public void onClosed() {
            if (!refused) {
                listener.onClosed();
            }
        }
    }
}
