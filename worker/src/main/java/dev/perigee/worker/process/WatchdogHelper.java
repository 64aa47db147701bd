package dev.perigee.worker.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the watchdog's script, {@code watchdog.sh}, under a shell that this system has. */
final class WatchdogHelper {

    /** A helper that became ready. */
    interface Started {

        ChildProcess process();

        /** How it ended, null while it guards; set before its end is reported. */
        @Nullable ExitStatus ended();
    }

    /** Marks the helper, so that a worker that starts sees whether an earlier one still lives. */
    static final String VARIABLE = "PERIGEE_WATCHDOG";

    private static final Logger log = LoggerFactory.getLogger(WatchdogHelper.class);
    private static final String NAME = "perigee-watchdog";
    private static final Duration READY_LIMIT = Duration.ofSeconds(20);
    private static final List<List<String>> SHELLS =
            List.of(List.of("bash", "-c"), List.of("busybox", "ash", "-c"));

    private final ProcessOwner owner;
    private final Duration retention;
    private final ProcessLauncher launcher;

    WatchdogHelper(ProcessOwner owner, Duration retention, ProcessLauncher launcher) {
        this.owner = owner;
        this.retention = retention;
        this.launcher = launcher;
    }

    /**
     * Returns when the helper guards.
     *
     * @param onEnd called once, when it ends, on the launcher's thread
     */
    Started start(BiConsumer<ChildProcess, ExitStatus> onEnd) throws LaunchException {
        LaunchException missing = null;
        for (var shell : SHELLS) {
            try {
                return start(shell, onEnd);
            } catch (LaunchException e) {
                if (e.reason() != LaunchException.Reason.PROGRAM_NOT_FOUND) {
                    throw e;
                }
                missing = e;
            }
        }
        throw Objects.requireNonNull(missing);
    }

    Started start(List<String> shell, BiConsumer<ChildProcess, ExitStatus> onEnd)
            throws LaunchException {
        var command = new ArrayList<>(shell);
        command.addAll(
                List.of(
                        script(),
                        NAME,
                        owner.incarnationPrefix(),
                        Long.toString(retention.toSeconds())));
        var path = System.getenv("PATH");
        var environment =
                Map.of(
                        "PATH",
                        path == null ? "/usr/bin:/bin" : path,
                        VARIABLE,
                        owner.watchdogMarker());
        var watch = new Watch(onEnd);
        var process = launcher.launch(new LaunchSpec(command, environment, null), watch);
        watch.awaitReady(process);
        return new Started() {
            @Override
            public ChildProcess process() {
                return process;
            }

            @Override
            public @Nullable ExitStatus ended() {
                return watch.status;
            }
        };
    }

    /**
     * The marker of which watchdog a process is by its arguments, each with a zero at its end; null
     * of other processes.
     */
    static @Nullable String guarded(String arguments) {
        var words = List.of(arguments.split("\0", -1));
        int name = words.indexOf(NAME);
        // Behind the shell, its option and the script.
        return name >= 3 && name + 1 < words.size() && words.get(name - 2).equals("-c")
                ? words.get(name + 1).replaceFirst(":$", "")
                : null;
    }

    private static String script() {
        try (var text = WatchdogHelper.class.getResourceAsStream("watchdog.sh")) {
            return new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Follows one helper; its only line on standard output says that it guards. */
    private static final class Watch implements ChildListener {

        private final BiConsumer<ChildProcess, ExitStatus> onEnd;
        private final CountDownLatch spoken = new CountDownLatch(1);
        private volatile boolean ready;
        private volatile @Nullable ExitStatus status;
        private volatile @Nullable ChildProcess process;

        Watch(BiConsumer<ChildProcess, ExitStatus> onEnd) {
            this.onEnd = onEnd;
        }

        void awaitReady(ChildProcess started) throws LaunchException {
            process = started;
            try {
                if (spoken.await(READY_LIMIT.toNanos(), TimeUnit.NANOSECONDS) && ready) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            started.signal(ProcessSignal.KILL);
            throw new LaunchException(
                    LaunchException.Reason.OTHER,
                    "The watchdog did not become ready (%s): install bash, or busybox with ash"
                            .formatted(status == null ? "no answer" : status));
        }

        @Override
        public void onStdout(ByteBuffer bytes) {
            ready = true;
            spoken.countDown();
        }

        @Override
        public void onStderr(ByteBuffer bytes) {
            log.atWarn()
                    .addKeyValue("text", StandardCharsets.UTF_8.decode(bytes).toString().strip())
                    .log("The watchdog reported a problem");
        }

        @Override
        public void onExit(ExitStatus ended) {
            status = ended;
            spoken.countDown();
            var known = process;
            if (known != null) {
                onEnd.accept(known, ended);
            }
        }

        @Override
        public void onClosed() {}
    }
}
