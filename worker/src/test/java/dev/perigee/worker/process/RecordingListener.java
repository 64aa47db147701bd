package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Keeps what a child said, and waits for it. */
public final class RecordingListener implements ChildListener {

    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private final List<String> calls = new ArrayList<>();
    private @Nullable ExitStatus exit;

    @Override
    public synchronized void onStdout(ByteBuffer bytes) {
        note("stdout");
        append(stdout, bytes);
    }

    @Override
    public synchronized void onStderr(ByteBuffer bytes) {
        note("stderr");
        append(stderr, bytes);
    }

    @Override
    public synchronized void onExit(ExitStatus status) {
        note("exit");
        exit = status;
    }

    @Override
    public synchronized void onClosed() {
        note("closed");
    }

    private void note(String call) {
        if (calls.isEmpty() || !calls.getLast().equals(call)) {
            calls.add(call);
        }
    }

    private static void append(ByteArrayOutputStream sink, ByteBuffer bytes) {
        var copy = new byte[bytes.remaining()];
        bytes.get(copy);
        sink.writeBytes(copy);
    }

    public synchronized String stdout() {
        return stdout.toString(StandardCharsets.UTF_8);
    }

    synchronized int stdoutBytes() {
        return stdout.size();
    }

    public synchronized String stderr() {
        return stderr.toString(StandardCharsets.UTF_8);
    }

    /** Kinds of calls in order, repeats of the same kind counted once. */
    synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    public synchronized @Nullable ExitStatus exit() {
        return exit;
    }

    synchronized boolean closed() {
        return calls.contains("closed");
    }

    public ExitStatus awaitExit() {
        until(() -> exit() != null);
        var status = exit();
        assertThat(status).isNotNull();
        return status;
    }

    public void awaitClosed() {
        until(this::closed);
    }

    public void awaitStdout(String text) {
        try {
            until(() -> stdout().contains(text) || closed());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("Not said in time: " + text + "; " + this, e);
        }
        assertThat(stdout()).as(toString()).contains(text);
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(condition);
    }

    @Override
    public String toString() {
        return "exit=%s, stdout=%s, stderr=%s".formatted(exit(), stdout(), stderr());
    }
}
