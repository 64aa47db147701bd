package dev.perigee.worker.process.packages;

import dev.perigee.worker.log.FailureReason;
import dev.perigee.worker.log.LineSplitter;
import dev.perigee.worker.log.StderrTail;
import dev.perigee.worker.process.ChildListener;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Termination;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a package manager to its end, with the last lines of what it said. Its whole tree is
 * gone when {@link #await} returns, whatever happened.
 */
final class InstallRun implements ChildListener {
    private static final int TAIL_LINES = 64;
    private static final int LINE_BYTES = 300;
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final LineSplitter stdout = new LineSplitter(LINE_BYTES);
    private final LineSplitter stderr = new LineSplitter(LINE_BYTES);
    private final StderrTail said = new StderrTail(TAIL_LINES);
    private final StderrTail answer = new StderrTail(TAIL_LINES);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable ExitStatus exit;

    /**
     * Runs it.
     *
     * @return how it ended, null when it was ended because time was over
     * @throws LaunchException when it was not started
     */
    @Nullable ExitStatus await(
            ProcessLauncher launcher, Termination termination, LaunchSpec spec, Duration limit)
            throws LaunchException, InterruptedException {
        var child = launcher.launch(spec, this);
        try {
            child.closeStdin();
            if (child.awaitExit(limit)) {
                var _ = closed.await(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
                return exit;
            }
            return null;
        } finally {
            termination.terminate(child, GRACE);
        }
    }

    /** Why it failed by what it said, in one line; empty when it said nothing. */
    String lastWords() {
        lock.lock();
        try {
            return FailureReason.among(said.lines()).text();
        } finally {
            lock.unlock();
        }
    }

    /** The latest lines of everything that it said, oldest first. */
    List<String> said() {
        lock.lock();
        try {
            return said.lines();
        } finally {
            lock.unlock();
        }
    }

    /** The latest lines of its standard output, oldest first. */
    List<String> answer() {
        lock.lock();
        try {
            return answer.lines();
        } finally {
            lock.unlock();
        }
    }

    private void add(LineSplitter lines, @Nullable ByteBuffer bytes) {
        lock.lock();
        try {
            Consumer<String> add = lines == stdout ? this::addAnswer : said::add;
            if (bytes == null) {
                lines.finish(add);
            } else {
                lines.accept(bytes, add);
            }
        } finally {
            lock.unlock();
        }
    }

    private void addAnswer(String line) {
        said.add(line);
        answer.add(line);
    }

    @Override
    public void onStdout(ByteBuffer bytes) {
        add(stdout, bytes);
    }

    @Override
    public void onStderr(ByteBuffer bytes) {
        add(stderr, bytes);
    }

    @Override
    public void onExit(ExitStatus status) {
        exit = status;
    }

    @Override
    public void onClosed() {
        add(stdout, null);
        add(stderr, null);
        closed.countDown();
    }
}
