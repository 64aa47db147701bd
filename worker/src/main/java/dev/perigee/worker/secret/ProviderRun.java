package dev.perigee.worker.secret;

import dev.perigee.worker.process.ChildListener;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Termination;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of the program that provides secrets. Its standard output is kept, {@link
 * SecretText#MAX_BYTES} at most and one byte more, with which the run is over; its standard error
 * is dropped. Its whole tree is gone when {@link #await} returns, whatever happened. For one run.
 */
final class ProviderRun implements ChildListener {
    private static final int MOST = SecretText.MAX_BYTES + 1;
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final CountDownLatch over = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable ExitStatus exit;

    /**
     * Runs it.
     *
     * @return null when it ended with code 0, or printed too much; else how it ended, for people,
     *     without what it printed
     * @throws LaunchException when it was not started
     */
    @Nullable String await(
            ProcessLauncher launcher, Termination termination, LaunchSpec spec, Duration limit)
            throws LaunchException, InterruptedException {
        var child = launcher.launch(spec, this);
        try {
            child.closeStdin();
            return failure(limit);
        } finally {
            termination.terminate(child, GRACE);
        }
    }

    private @Nullable String failure(Duration limit) throws InterruptedException {
        if (!over.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            return "did not end within secrets.command-timeout, which is for all secrets of a server";
        }
        if (isFull()) {
            return null; // Whatever else it would print, the value is refused.
        }
        boolean isWhole = closed.await(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
        var status = exit;
        if (status != null && !status.clean()) {
            return "ended with " + status;
        }
        return isWhole ? null : "left a process behind that holds its output";
    }

    private boolean isFull() {
        synchronized (printed) {
            return printed.size() == MOST;
        }
    }

    /** Its output so far. */
    byte[] printed() {
        synchronized (printed) {
            return printed.toByteArray();
        }
    }

    @Override
    public void onStdout(ByteBuffer bytes) {
        synchronized (printed) {
            var kept = new byte[Math.min(bytes.remaining(), MOST - printed.size())];
            bytes.get(kept);
            printed.writeBytes(kept);
        }
        if (isFull()) {
            over.countDown();
        }
    }

    @Override
    public void onStderr(ByteBuffer bytes) {}

    @Override
    public void onExit(ExitStatus status) {
        exit = status;
        over.countDown();
    }

    @Override
    public void onClosed() {
        closed.countDown();
    }
}
