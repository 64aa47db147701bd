package dev.perigee.worker.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A child of the portable launcher: two readers, a writer and a waiter. */
final class PortableChild implements ChildProcess {

    private static final Logger log = LoggerFactory.getLogger(PortableChild.class);

    private final Process process;
    private final TreeId tree;
    private final boolean enclosed;
    private final ChildListener listener;
    private final LauncherOptions options;
    private final ReentrantLock calls = new ReentrantLock();
    private final CountDownLatch streams = new CountDownLatch(2);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PendingInput pending;

    /** Guarded by the calls' lock. */
    private boolean reportedAll;

    private boolean inputClosed;
    private boolean gone;
    private boolean paused;

    PortableChild(
            Process process, LaunchSpec spec, ChildListener listener, LauncherOptions options) {
        this.process = process;
        this.tree =
                new TreeId(
                        process.pid(),
                        ProcStat.startTime(process.pid()),
                        spec.environment().get(ProcessOwner.VARIABLE));
        this.enclosed = spec.enclosure() != null;
        this.listener = listener;
        this.options = options;
        this.pending = new PendingInput(options);
    }

    void start() {
        thread("stdout", () -> read(process.getInputStream(), listener::onStdout, true));
        thread("stderr", () -> read(process.getErrorStream(), listener::onStderr, false));
        thread("stdin", this::feed);
        thread("exit", this::awaitExit);
    }

    private void thread(String role, Runnable task) {
        Thread.ofPlatform().daemon().name("child-" + pid() + "-" + role).start(task);
    }

    private void read(InputStream stream, Consumer<ByteBuffer> sink, boolean pausable) {
        var chunk = new byte[8192];
        try (stream) {
            for (int count; (count = stream.read(chunk)) >= 0; ) {
                if (pausable) {
                    awaitResume();
                }
                var bytes = ByteBuffer.wrap(chunk, 0, count);
                call(() -> sink.accept(bytes));
            }
        } catch (IOException e) {
            log.atDebug().addKeyValue("pid", pid()).setCause(e).log("Stream ended with an error");
        } finally {
            streams.countDown();
        }
    }

    private void awaitResume() {
        lock.lock();
        try {
            while (paused) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void feed() {
        try (var input = process.getOutputStream()) {
            for (ByteBuffer next; (next = awaitInput()) != null; ) {
                var size = next.remaining();
                input.write(next.array(), next.arrayOffset() + next.position(), size);
                input.flush();
                consumed(next, size);
            }
        } catch (IOException e) {
            lock.lock();
            try {
                inputClosed = true;
                pending.clear();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private @Nullable ByteBuffer awaitInput() {
        lock.lock();
        try {
            while (pending.isEmpty() && !inputClosed && !gone) {
                changed.awaitUninterruptibly();
            }
            return gone ? null : pending.first();
        } finally {
            lock.unlock();
        }
    }

    private void consumed(ByteBuffer message, int size) {
        lock.lock();
        try {
            message.position(message.limit());
            pending.written(size);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void awaitExit() {
        try {
            var code = process.waitFor();
            lock.lock();
            try {
                gone = true;
                pending.clear();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            // What was written before the exit is reported before it, unless somebody holds a pipe.
            streams.await(options.outputGrace().toNanos() / 2, TimeUnit.NANOSECONDS);
            call(() -> listener.onExit(ExitStatus.exited(code).fromJail()));
            ended.countDown();
            awaitResume();
            streams.await(options.outputGrace().toNanos(), TimeUnit.NANOSECONDS);
            call(
                    () -> {
                        reportedAll = true;
                        listener.onClosed();
                    });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void call(Runnable report) {
        calls.lock();
        try {
            if (!reportedAll) {
                report.run();
            }
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pid", pid()).setCause(e).log("A child's listener failed");
        } finally {
            calls.unlock();
        }
    }

    @Override
    public long pid() {
        return process.pid();
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
        lock.lock();
        try {
            var nanos = deadline.toNanos();
            while (!gone && !inputClosed && !pending.fits(message.remaining())) {
                if (nanos <= 0) {
                    throw new InterruptedIOException(
                            "The process did not read its input in time: nothing was sent");
                }
                nanos = changed.awaitNanos(nanos);
            }
            if (gone || inputClosed) {
                throw new IOException("The process has ended or its input is closed");
            }
            pending.requireRoom(message.remaining());
            pending.add(message);
            changed.signalAll();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted before anything was sent");
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void closeStdin() {
        lock.lock();
        try {
            inputClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void pauseOutput() {
        pause(true);
    }

    @Override
    public void resumeOutput() {
        pause(false);
    }

    private void pause(boolean wanted) {
        lock.lock();
        try {
            paused = wanted;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void signal(ProcessSignal signal) {
        if (!process.isAlive()) {
            return;
        }
        process.descendants().forEach(descendant -> end(descendant, signal));
        end(process.toHandle(), signal);
    }

    private static void end(ProcessHandle handle, ProcessSignal signal) {
        switch (signal) {
            case TERM -> handle.destroy();
            case KILL -> handle.destroyForcibly();
        }
    }

    @Override
    public boolean awaitExit(Duration limit) throws InterruptedException {
        return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
}
