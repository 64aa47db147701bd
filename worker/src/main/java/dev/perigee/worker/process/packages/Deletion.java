package dev.perigee.worker.process.packages;

import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.isolation.Home;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.isolation.ServerProgram;
import dev.perigee.worker.process.isolation.ServerRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what hostile programs wrote: by {@code find}, which follows no link, enclosed like those
 * programs, after {@code chmod} took back what they forbade. Each directory is emptied as its
 * owner, whom its files are given to, and then removed. No caller waits for it: it works on a
 * thread of its own, one directory at a time, each within a bounded time. What stays is deleted
 * another time. Thread-safe.
 */
public final class Deletion implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Deletion.class);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** What runs is killed within this. */
    private static final Duration END = Duration.ofSeconds(10);

    private static final String SCRIPT =
            "chmod -R u+rwx -- \"$1\" 2>/dev/null; exec find \"$1\" -mindepth 1 -delete";

    /** At one time; the next deletion goes on. */
    private static final int MOST = 500;

    private final Isolation isolation;
    private final ProcessLauncher launcher;
    private final Termination termination;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().name("deletion").factory());
    private final AtomicBoolean waiting = new AtomicBoolean();

    /** Its parts stay the caller's to close. */
    public Deletion(Isolation isolation, ProcessLauncher launcher, Termination termination) {
        this.isolation = isolation;
        this.launcher = launcher;
        this.termination = termination;
    }

    /** Takes an installation's homes away, and has them deleted. Its programs have ended. */
    public void discard(Home.OfInstallation home) {
        try {
            if (isolation.discard(home)) {
                beginWithGone();
            }
        } catch (UncheckedIOException e) {
            log.atWarn()
                    .addKeyValue("team_id", home.teamId())
                    .addKeyValue("user_id", home.userId())
                    .setCause(e)
                    .log("Failed to discard the home of a removed installation");
        }
    }

    /** Has everything deleted that an earlier worker left half-deleted. */
    public void resume() {
        beginWithGone();
    }

    /** Has directories deleted, of which nothing is used any more. */
    void delete(List<Path> directories) {
        if (!directories.isEmpty()) {
            begin(() -> directories.forEach(this::run));
        }
    }

    /** One that has not looked yet will see what was moved there meanwhile. */
    private void beginWithGone() {
        if (waiting.compareAndSet(false, true)) {
            begin(
                    () -> {
                        waiting.set(false);
                        gone();
                    });
        }
    }

    private void begin(Runnable work) {
        try {
            thread.execute(work);
        } catch (RejectedExecutionException e) {
            log.atDebug().log("Closed: deletions are left to the next start");
        }
    }

    /** Ends what deletes, and starts nothing more. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS)) {
                log.atWarn().log("A deletion did not end in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void gone() {
        try {
            try (Stream<Path> entries = Files.list(isolation.gone())) {
                entries.limit(MOST).toList().forEach(this::run);
            }
        } catch (IOException | UncheckedIOException e) {
            log.atWarn().setCause(e).log("Failed to list the homes of removed installations");
        }
    }

    private void run(Path directory) {
        if (thread.isShutdown()) {
            return;
        }
        try {
            var spec = isolation.enclose(emptying(directory));
            var run = new InstallRun();
            var exit = run.await(launcher, termination, spec, LIMIT);
            if (exit == null || !exit.clean()) {
                log.atWarn()
                        .addKeyValue("directory", directory)
                        .addKeyValue("said", run.lastWords())
                        .log("Failed to delete a directory completely");
            } else {
                Files.deleteIfExists(directory);
            }
        } catch (LaunchException | IOException | UncheckedIOException e) {
            log.atWarn()
                    .addKeyValue("directory", directory)
                    .setCause(e)
                    .log("Failed to delete a directory");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The directory is the home of what deletes in it. */
    private ServerProgram emptying(Path directory) {
        var home = new Home.Disused(directory);
        var command = new ArrayList<>(List.of("sh", "-c", SCRIPT, "sh"));
        var program = new ServerProgram(home, ServerRuntime.NODE, command, Map.of());
        command.add(isolation.home(program).inside().toString());
        return new ServerProgram(home, ServerRuntime.NODE, command, Map.of());
    }
}
