package dev.perigee.worker.process.packages;

import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.TenantSlots;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.isolation.ProgramEgress;
import dev.perigee.worker.process.packages.PackageStore.Draft;
import dev.perigee.worker.process.packages.PackageStore.Installed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs package managers: each package once at a time, and not too many at a time. Thread-safe. */
final class Installer {
    private static final Logger log = LoggerFactory.getLogger(Installer.class);

    /** Far beyond what installing the packages of a whole worker takes. */
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    private static final int REFRESH_PAUSE = 10;

    private final PackageOptions options;
    private final Isolation isolation;
    private final ProcessLauncher launcher;
    private final Termination termination;
    private final InstantSource clock;
    private final Deletion deletion;
    private final TenantSlots slots;
    private final Flights<Installed> flights = new Flights<>();
    private final Flights<String> looks = new Flights<>();

    /** By store, until when a registry that failed is not asked, in {@link System#nanoTime}. */
    private final ConcurrentHashMap<String, Long> refusals = new ConcurrentHashMap<>();

    Installer(
            PackageOptions options,
            Isolation isolation,
            ProcessLauncher launcher,
            Termination termination,
            Deletion deletion,
            InstantSource clock) {
        this.options = options;
        this.isolation = isolation;
        this.launcher = launcher;
        this.termination = termination;
        this.deletion = deletion;
        this.clock = clock;
        this.slots = new TenantSlots(options.parallel());
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
                    try (var _ = acquire(preparation, LONGEST_WAIT, progress)) {
                        var present = preparation.store().newest();
                        return present == null
                                ? make(preparation, options.timeout(), progress)
                                : present;
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
                                try (var _ = acquire(preparation, limit, progress)) {
                                    return make(preparation, limit, progress);
                                }
                            });
            refusals.remove(preparation.store().id());
            return newest;
        } catch (PackageException e) {
            pause(preparation);
            log.atWarn()
                    .addKeyValue("team_id", preparation.team())
                    .addKeyValue("package", preparation.line().spec())
                    .log("Cannot look for a newer version; using the installed one");
            return present;
        }
    }

    /**
     * Commit that a branch, tag or default branch means now, by its repository.
     *
     * @throws PackageException when the repository does not say, or has no such reference
     */
    String look(Preparation preparation, GitSpec git, Duration limit, Consumer<String> progress)
            throws PackageException, InterruptedException {
        return looks.join(
                preparation.store().id(),
                () -> {
                    try (var _ = acquire(preparation, limit, progress)) {
                        return looked(preparation, git, limit, progress);
                    }
                });
    }

    private String looked(
            Preparation preparation, GitSpec git, Duration limit, Consumer<String> progress)
            throws PackageException, InterruptedException {
        progress.accept("looking for the commit of " + preparation.line().spec());
        long began = System.nanoTime();
        Draft draft = null;
        try {
            draft = preparation.store().draft();
            var step = GitBuild.look(preparation, git, draft);
            var run = run(preparation, step, began, limit);
            var commit = run == null ? null : GitReferences.commit(git.reference(), run.answer());
            if (commit == null) {
                throw unprepared(preparation, GitFailure.noReference(git));
            }
            return commit;
        } catch (LaunchException e) {
            throw notLaunched(preparation, e);
        } catch (UncheckedIOException e) {
            throw failed(preparation, String.valueOf(e.getMessage()), "");
        } finally {
            tidy(preparation, draft, false);
        }
    }

    /** Has a repository left alone that failed, for ten times as long as looking may take. */
    void pause(Preparation preparation) {
        refusals.put(
                preparation.store().id(),
                System.nanoTime() + options.refreshTimeout().multipliedBy(REFRESH_PAUSE).toNanos());
    }

    private TenantSlots.Slot acquire(
            Preparation preparation, Duration limit, Consumer<String> progress)
            throws PackageException, InterruptedException {
        var waiting = "waiting to prepare the package " + preparation.line().spec();
        var slot =
                slots.acquire(
                        preparation.tenant(),
                        preparation.own(),
                        limit,
                        () -> progress.accept(waiting));
        if (slot == null) {
            throw new PackageException(
                    "Too many packages are being prepared: try again later, or raise "
                            + PackageSettings.PARALLEL.key());
        }
        return slot;
    }

    private Installed make(Preparation preparation, Duration limit, Consumer<String> progress)
            throws PackageException, InterruptedException {
        var git = preparation.line().git();
        progress.accept(
                "preparing the package "
                        + preparation.line().spec()
                        + (git == null ? "" : ", commit " + git.brief()));
        long began = System.nanoTime();
        var store = preparation.store();
        Draft draft = null;
        boolean complete = false;
        try {
            draft = store.draft();
            for (var step : steps(preparation, draft)) {
                var _ = run(preparation, step, began, limit);
                draft.forget();
            }
            var present = store.newest();
            if (present != null && sameVersion(preparation, draft, present)) {
                return store.confirm(present, clock.instant());
            }
            var installed = store.publish(draft, clock.instant());
            complete = true;
            var content = InstalledContent.of(installed.made());
            log.atInfo()
                    .addKeyValue("team_id", preparation.team())
                    .addKeyValue("package", preparation.line().spec())
                    .addKeyValue("commit", git == null ? null : git.reference())
                    .addKeyValue("content", content.digest())
                    .addKeyValue("scripts_not_run", preparation.scripts() ? "" : content.scripted())
                    .addKeyValue(
                            "duration_ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                    .log("Package prepared");
            return installed;
        } catch (LaunchException e) {
            throw notLaunched(preparation, e);
        } catch (IOException | UncheckedIOException e) {
            throw failed(preparation, String.valueOf(e.getMessage()), "");
        } finally {
            tidy(preparation, draft, complete);
        }
    }

    private static List<InstallStep> steps(Preparation preparation, Draft draft) {
        var git = preparation.line().git();
        return git == null ? preparation.install(draft) : GitBuild.steps(preparation, git, draft);
    }

    /** Null where there was nothing to do. */
    private @Nullable InstallRun run(
            Preparation preparation, InstallStep step, long beganNanos, Duration limit)
            throws PackageException, LaunchException, InterruptedException {
        var program = step.source().program();
        if (program == null) {
            return null;
        }
        var run = new InstallRun();
        var refused = new AtomicReference<>("");
        var spec =
                isolation.enclose(
                        program,
                        new ProgramEgress(
                                null, what -> refused.set("; egress refused to " + what)));
        var left = limit.minusNanos(System.nanoTime() - beganNanos);
        var exit = run.await(launcher, termination, spec, left);
        if (exit == null) {
            throw failed(
                    preparation,
                    "%s did not end within %d s, see %s"
                            .formatted(
                                    step.tool(), limit.toSeconds(), PackageSettings.TIMEOUT.key()),
                    run.lastWords());
        }
        if (!exit.clean()) {
            var git = preparation.line().git();
            var explained =
                    git == null || !step.tool().equals(InstallStep.GIT)
                            ? null
                            : GitFailure.explained(git, run.said());
            throw explained == null
                    ? failed(
                            preparation,
                            step.tool() + " ended with " + exit + refused.get(),
                            run.lastWords())
                    : unprepared(preparation, explained + refused.get());
        }
        return run;
    }

    /** For want of room on the disk of all, neither name nor registry is to be blamed. */
    private static PackageException notLaunched(Preparation preparation, LaunchException cause) {
        var why = String.valueOf(cause.getMessage());
        return cause.reason() == LaunchException.Reason.DISK_RESERVE
                ? new PackageException(why, cause)
                : failed(preparation, why, "");
    }

    private static PackageException failed(Preparation preparation, String why, String said) {
        var advice =
                preparation.line().git() == null
                        ? "check its name and version, and that the worker reaches its registry"
                        : "check that the repository builds by this commit, and that the worker reaches the registry of its dependencies";
        return unprepared(
                preparation,
                "%s%s; %s".formatted(why, said.isEmpty() ? "" : "; it said: " + said, advice));
    }

    private static PackageException unprepared(Preparation preparation, String why) {
        return new PackageException(
                "The package %s could not be prepared: %s"
                        .formatted(preparation.line().spec(), why));
    }

    private static boolean sameVersion(Preparation preparation, Draft draft, Installed present) {
        var line = preparation.line();
        var version = InstalledProgram.version(line, draft.making());
        return version != null && version.equals(InstalledProgram.version(line, present.made()));
    }

    /** Has deleted what is not used, without anybody waiting for it. */
    private void tidy(Preparation preparation, @Nullable Draft draft, boolean complete) {
        var store = preparation.store();
        var disused = store.disused(options.keep(), clock.instant());
        if (draft != null) {
            draft.forget();
            disused.addAll(complete ? draft.leftovers() : List.of(draft.directory()));
        }
        deletion.delete(disused);
    }
}
