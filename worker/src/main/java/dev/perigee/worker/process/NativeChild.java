package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One child of the native launcher.
 *
 * <pre>
 *           process ended: collect, drain, onExit        both streams at end, or grace over: onClosed
 *   Running ─────────────────────────────────────▶ Exited ─────────────────────────────────▶ Closed
 * </pre>
 *
 * What is watched belongs to the loop's thread. Any thread may ask for a change ({@link #attend}),
 * which the loop then makes in {@link #reconcile}.
 */
final class NativeChild implements ChildProcess, NativeLoop.Child {

    private static final int STDOUT = 0;
    private static final int STDERR = 1;
    private static final int STDIN = 2;
    private static final int PROCESS = 3;

    private static final Logger log = LoggerFactory.getLogger(NativeChild.class);
    private static final int CLOSED = -1;

    private final long key;
    private final TreeId tree;
    private final boolean enclosed;
    private final ChildListener listener;
    private final NativeLoop loop;
    private final NativeInput input;
    private final NativeStream stdout;
    private final NativeStream stderr;
    private final AtomicBoolean attended = new AtomicBoolean();
    private final ReentrantLock collecting = new ReentrantLock();
    private final CountDownLatch ended = new CountDownLatch(1);
    private boolean collected;
    private volatile boolean paused;

    private int processFile;
    private boolean processWatched;
    private boolean inputWatched;
    private boolean exited;
    private boolean graceRuns;
    private long graceEnd;

    NativeChild(
            long key,
            Spawner.Spawned spawned,
            TreeId tree,
            boolean enclosed,
            ChildListener listener,
            NativeLoop loop) {
        this.key = key;
        this.tree = tree;
        this.enclosed = enclosed;
        this.listener = listener;
        this.loop = loop;
        this.processFile = spawned.processFile();
        this.input = new NativeInput(spawned.stdin(), loop, this::attend);
        this.stdout =
                new NativeStream(
                        loop,
                        spawned.stdout(),
                        fileKey(STDOUT),
                        bytes -> call(() -> listener.onStdout(bytes)));
        this.stderr =
                new NativeStream(
                        loop,
                        spawned.stderr(),
                        fileKey(STDERR),
                        bytes -> call(() -> listener.onStderr(bytes)));
    }

    private long fileKey(int kind) {
        return key << NativeLoop.KIND_BITS | kind;
    }

    @Override
    public long key() {
        return key;
    }

    /** Asks the loop to look at this child; at most one request is queued. */
    void attend() {
        if (attended.compareAndSet(false, true)) {
            loop.attend(this);
        }
    }

    @Override
    public void reconcile() {
        attended.set(false);
        if (processFile != CLOSED && !processWatched) {
            processWatched = true;
            loop.insert(this);
            loop.poller().watchReadable(processFile, fileKey(PROCESS));
            stderr.watch(true);
        }
        stdout.watch(!paused);
        startGrace();
        reconcileInput();
    }

    private void reconcileInput() {
        if (input.finished()) {
            closeInput();
            return;
        }
        var wanted = input.wantsRoom();
        if (wanted != inputWatched) {
            inputWatched = wanted;
            if (wanted) {
                loop.poller().watchWritable(input.file(), fileKey(STDIN));
            } else {
                loop.poller().forget(input.file());
            }
        }
    }

    @Override
    public void ready(int kind) {
        switch (kind) {
            case STDOUT -> {
                if (!paused) {
                    stdout.read();
                }
            }
            case STDERR -> stderr.read();
            case STDIN -> {
                input.flush();
                reconcileInput();
            }
            default -> exit();
        }
        closeIfDone();
    }

    /** Output that was written before the exit is delivered before the exit. */
    private void exit() {
        if (processFile != CLOSED) {
            call(() -> listener.onEnding(pid()));
        }
        var status = collect();
        if (status == null) {
            return;
        }
        loop.poller().forget(processFile);
        loop.closeFile(processFile);
        processFile = CLOSED;
        closeInput();
        if (!paused) {
            stdout.drain();
        }
        stderr.drain();
        exited = true;
        call(() -> listener.onExit(status));
        ended.countDown();
        startGrace();
    }

    private @Nullable ExitStatus collect() {
        if (processFile == CLOSED) {
            return null;
        }
        collecting.lock();
        try {
            var status = loop.collect(processFile);
            collected = status != null;
            return status != null && enclosed ? status.fromJail() : status;
        } finally {
            collecting.unlock();
        }
    }

    /** Starts, once, the time for which streams that a grandchild holds are still read. */
    private void startGrace() {
        if (exited && !graceRuns && !held() && (stdout.open() || stderr.open())) {
            graceRuns = true;
            graceEnd = loop.graceEnd();
            loop.expectEnd(this);
        }
    }

    private boolean held() {
        return paused && stdout.open();
    }

    @Override
    public long graceEnd() {
        return graceEnd;
    }

    @Override
    public void endGrace() {
        graceRuns = false;
        if (!held()) {
            // This thread may have stood still for all of the grace.
            stdout.drain();
            stderr.drain();
            stdout.close();
            stderr.close();
            closeIfDone();
        }
    }

    private void closeIfDone() {
        if (exited && !stdout.open() && !stderr.open() && loop.remove(this)) {
            call(listener::onClosed);
        }
    }

    @Override
    public void abandon() {
        closeInput();
        stdout.close();
        stderr.close();
        if (processFile != CLOSED) {
            loop.closeFile(processFile);
            processFile = CLOSED;
        }
    }

    private void closeInput() {
        var file = input.detach();
        if (file != CLOSED) {
            if (inputWatched) {
                inputWatched = false;
                loop.poller().forget(file);
            }
            loop.closeFile(file);
        }
    }

    private void call(Runnable report) {
        try {
            report.run();
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("pid", pid()).setCause(e).log("A child's listener failed");
        }
    }

    @Override
    public long pid() {
        return tree.pid();
    }

    @Override
    public boolean enclosed() {
        return enclosed;
    }

    @Override
    public TreeId tree() {
        return tree;
    }

    @Override
    public void write(ByteBuffer message, Duration deadline) throws IOException {
        input.write(message, deadline);
    }

    @Override
    public void closeStdin() {
        input.end();
    }

    @Override
    public void pauseOutput() {
        paused = true;
        attend();
    }

    @Override
    public void resumeOutput() {
        paused = false;
        attend();
    }

    /** Under the lock of the collection: until then the number belongs to this child's group. */
    @Override
    public void signal(ProcessSignal signal) {
        collecting.lock();
        try {
            if (!collected) {
                new NativeCalls().kill(-(int) pid(), signal.number());
            }
        } finally {
            collecting.unlock();
        }
    }

    @Override
    public boolean awaitExit(Duration limit) throws InterruptedException {
        return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
}
