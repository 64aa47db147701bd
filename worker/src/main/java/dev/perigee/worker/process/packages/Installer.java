package dev.perigee.worker.process.packages;

import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.packages.PackageStore.Draft;
import dev.perigee.worker.process.packages.PackageStore.Installed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs package managers: each package once at a time, and not too many at a time. Thread-safe. */
final class Installer {
    private static final Logger log = LoggerFactory.getLogger(Installer.class);

    /** Far beyond what installing the packages of a whole worker takes. */
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    private static final Duration REMOVAL = Duration.ofMinutes(2);
    private static final int REFRESH_PAUSE = 10;

    private final PackageOptions options;
    private final Isolation isolation;
    private final ProcessLauncher launcher;
    private final Termination termination;
    private final InstantSource clock;
    private final Semaphore slots;
    private final Flights<Installed> flights = new Flights<>();

    /** By store, until when a registry that failed is not asked, in {@link System#nanoTime}. */
    private final ConcurrentHashMap<String, Long> refusals = new ConcurrentHashMap<>();

    Installer(
            PackageOptions options,
            Isolation isolation,
            ProcessLauncher launcher,
            Termination termination,
            InstantSource clock) {
        this.options = options;
        this.isolation = isolation;
        this.launcher = launcher;
        this.termination = termination;
        this.clock = clock;
        this.slots = new Semaphore(options.parallel(), true);
    }

    /** Whether the registry has not failed a short while ago. */
    boolean mayRefresh(Preparation preparation) {
        var until = refusals.get(preparation.store().id());
        return until == null || until - System.nanoTime() < 0;
    }

    /** Installs a package that is not there. */
    Installed install(Preparation preparation, Consumer<String> progress)
            throws PackageException, InterruptedException {
        return flights.join(
                preparation.store().id(),
                () -> {
                    acquire(preparation, LONGEST_WAIT, progress);
                    try {
                        var present = preparation.store().newest();
                        return present == null
                                ? make(preparation, options.timeout(), progress)
                                : present;
                    } finally {
                        slots.release();
                    }
                });
    }

    /** Looks for a newer version, and stays with the present one when that takes long or fails. */
    Installed refresh(Preparation preparation, Installed present, Consumer<String> progress)
            throws InterruptedException {
        var limit = options.refreshTimeout();
        try {
            var newest =
                    flights.join(
                            preparation.store().id(),
                            () -> {
                                acquire(preparation, limit, progress);
                                try {
                                    return make(preparation, limit, progress);
                                } finally {
                                    slots.release();
                                }
                            });
            refusals.remove(preparation.store().id());
            return newest;
        } catch (PackageException e) {
            refusals.put(
                    preparation.store().id(),
                    System.nanoTime() + limit.multipliedBy(REFRESH_PAUSE).toNanos());
            log.atWarn()
                    .addKeyValue("team_id", preparation.program().teamId())
                    .addKeyValue("package", preparation.line().spec())
                    .log("A newer version cannot be looked for: the installed one is used on");
            return present;
        }
    }

    private void acquire(Preparation preparation, Duration limit, Consumer<String> progress)
            throws PackageException, InterruptedException {
        if (slots.tryAcquire()) {
            return;
        }
        progress.accept("waiting to prepare the package " + preparation.line().spec());
        if (!slots.tryAcquire(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new PackageException(
                    "Too many packages are being prepared: try again later, or raise "
                            + PackageSettings.PARALLEL.key());
        }
    }

    private Installed make(Preparation preparation, Duration limit, Consumer<String> progress)
            throws PackageException, InterruptedException {
        progress.accept("preparing the package " + preparation.line().spec());
        long began = System.nanoTime();
        var store = preparation.store();
        var draft = store.draft();
        boolean complete = false;
        try {
            run(preparation, draft, limit);
            var present = store.newest();
            if (present != null && sameVersion(preparation, draft, present)) {
                return store.confirm(present, clock.instant());
            }
            var installed = store.publish(draft, clock.instant());
            complete = true;
            log.atInfo()
                    .addKeyValue("team_id", preparation.program().teamId())
                    .addKeyValue("package", preparation.line().spec())
                    .addKeyValue(
                            "duration_ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                    .log("Package prepared");
            return installed;
        } catch (LaunchException | IOException e) {
            throw failed(preparation, String.valueOf(e.getMessage()), "");
        } finally {
            tidy(preparation, complete ? null : draft);
        }
    }

    private void run(Preparation preparation, Draft draft, Duration limit)
            throws PackageException, LaunchException, InterruptedException {
        var run = new InstallRun();
        var spec = isolation.enclose(preparation.install(draft));
        var exit = run.await(launcher, termination, spec, limit);
        var manager = preparation.line().manager().wireName();
        if (exit == null) {
            throw failed(
                    preparation,
                    "%s did not end within %d s, see %s"
                            .formatted(manager, limit.toSeconds(), PackageSettings.TIMEOUT.key()),
                    run.lastWords());
        }
        if (!exit.clean()) {
            throw failed(preparation, manager + " ended with " + exit, run.lastWords());
        }
    }

    private static PackageException failed(Preparation preparation, String why, String said) {
        return new PackageException(
                "The package %s could not be prepared: %s%s; check its name and version, and that the worker reaches its registry"
                        .formatted(
                                preparation.line().spec(),
                                why,
                                said.isEmpty() ? "" : "; it said: " + said));
    }

    private static boolean sameVersion(Preparation preparation, Draft draft, Installed present)
            throws IOException {
        var store = preparation.store();
        try (var made = store.hold(draft.hostMaking());
                var before = store.hold(present.host())) {
            var version = InstalledProgram.version(preparation.line(), made);
            return version != null
                    && version.equals(InstalledProgram.version(preparation.line(), before));
        }
    }

    /** Removes what is not used, without anybody waiting for it. */
    private void tidy(Preparation preparation, @Nullable Draft useless) {
        var store = preparation.store();
        var disused = store.disused(options.keep(), clock.instant());
        if (useless != null) {
            disused.add(store.whole(useless.id()));
        }
        if (!disused.isEmpty()) {
            var _ =
                    Thread.ofVirtual()
                            .name("package-tidy")
                            .start(() -> remove(preparation, disused));
        }
    }

    private void remove(Preparation preparation, List<Path> directories) {
        try {
            var spec = isolation.enclose(preparation.remove(directories));
            var _ = new InstallRun().await(launcher, termination, spec, REMOVAL);
        } catch (LaunchException e) {
            log.atDebug()
                    .addKeyValue("team_id", preparation.program().teamId())
                    .addKeyValue("reason", e.getMessage())
                    .log("Disused packages stay: they are removed another time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
