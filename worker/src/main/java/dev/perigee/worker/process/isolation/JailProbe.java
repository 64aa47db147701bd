package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.ChildListener;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessSignal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs something harmless in a jail, once, to see whether jails work on this host. */
final class JailProbe implements ChildListener {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int KEPT_CHARACTERS = 1000;

    private final StringBuilder errors = new StringBuilder();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable ExitStatus exit;

    private JailProbe() {}

    /** Null when it worked, else what went wrong, as the jail and its log tell it. */
    static @Nullable String failure(ProcessLauncher launcher, LaunchSpec spec, JailLog log)
            throws InterruptedException {
        var probe = new JailProbe();
        try {
            var child = launcher.launch(spec, probe);
            if (!probe.closed.await(LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
                child.signal(ProcessSignal.KILL);
                return "it did not end within " + LIMIT.toSeconds() + " s";
            }
        } catch (LaunchException e) {
            return e.getMessage();
        }
        var ended = probe.exit;
        var logged = log.take();
        return ended != null && ended.clean()
                ? null
                : "%s: %s".formatted(ended, (probe.told() + " " + logged).strip());
    }

    private synchronized String told() {
        return errors.toString().strip();
    }

    @Override
    public void onStdout(ByteBuffer bytes) {}

    @Override
    public synchronized void onStderr(ByteBuffer bytes) {
        if (errors.length() < KEPT_CHARACTERS) {
            errors.append(StandardCharsets.UTF_8.decode(bytes));
        }
    }

    @Override
    public void onExit(ExitStatus status) {
        exit = status;
    }

    @Override
    public void onClosed() {
        closed.countDown();
    }
}
