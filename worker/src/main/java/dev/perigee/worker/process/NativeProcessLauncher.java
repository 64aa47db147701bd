package dev.perigee.worker.process;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts children by posix_spawn and serves all their pipes with one thread: {@code
 * docs/adr/0001-spawn-and-pipes.md} says why. Spawning is done by a few threads that live as long
 * as the launcher, because a child that asks for a signal at its parent's death gets it when the
 * thread that spawned it ends.
 */
final class NativeProcessLauncher implements ProcessLauncher {

    private static final Logger log = LoggerFactory.getLogger(NativeProcessLauncher.class);
    private static final long JOIN_MILLIS = 10_000;

    private final NativeLoop loop;
    private final Thread thread;
    private final ExecutorService spawning;
    private final ThreadLocal<Spawner> spawner = ThreadLocal.withInitial(Spawner::new);
    private final AtomicLong keys = new AtomicLong();

    private NativeProcessLauncher(NativeLoop loop, Thread thread, ExecutorService spawning) {
        this.loop = loop;
        this.thread = thread;
        this.spawning = spawning;
    }

    static NativeProcessLauncher start(LauncherOptions options) {
        var loop = new NativeLoop(options);
        var thread = Thread.ofPlatform().daemon().name("child-io").start(loop);
        ThreadFactory names = Thread.ofPlatform().daemon().name("child-spawn-", 1).factory();
        return new NativeProcessLauncher(
                loop, thread, Executors.newFixedThreadPool(options.spawnThreads(), names));
    }

    @Override
    public ChildProcess launch(LaunchSpec spec, ChildListener listener) throws LaunchException {
        try {
            return result(spec, spawning.submit(() -> spawn(spec, listener)));
        } catch (RejectedExecutionException e) {
            throw new LaunchException(
                    LaunchException.Reason.CLOSED, "The worker is stopping: nothing is started");
        }
    }

    private ChildProcess spawn(LaunchSpec spec, ChildListener listener) throws LaunchException {
        var spawned = spawner.get().spawn(spec);
        var tree =
                new TreeId(
                        spawned.pid(),
                        ProcStat.startTime(spawned.pid()),
                        spec.environment().get(ProcessOwner.VARIABLE));
        var enclosed = spec.enclosure() != null;
        var child =
                new NativeChild(keys.incrementAndGet(), spawned, tree, enclosed, listener, loop);
        child.attend();
        return child;
    }

    /** A spawn takes milliseconds and cannot be taken back, so an interrupt waits for its end. */
    private static ChildProcess result(LaunchSpec spec, Future<ChildProcess> spawning)
            throws LaunchException {
        var interrupted = false;
        try {
            while (true) {
                try {
                    return spawning.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LaunchException failure) {
                throw failure;
            }
            throw new IllegalStateException("Starting '" + spec.program() + "' failed", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        // In this order: once nothing can be spawned any more, the loop closes every descriptor.
        spawning.shutdown();
        try {
            if (!spawning.awaitTermination(JOIN_MILLIS, TimeUnit.MILLISECONDS)) {
                log.atWarn().log("A spawn is still running while the launcher closes");
            }
            loop.stop();
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            loop.stop();
            Thread.currentThread().interrupt();
        }
    }
}
