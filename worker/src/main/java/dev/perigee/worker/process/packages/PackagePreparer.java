package dev.perigee.worker.process.packages;

import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.isolation.ServerProgram;
import dev.perigee.worker.process.packages.PackageStore.Installed;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns {@code npx -y package} and {@code uvx package}, of a registry or a git repository, into the
 * program that they would run: the package is installed by the package manager, enclosed apart from
 * any server, once for all who ask at the same time; then it is there for every later start of
 * every user, read-only. Where the line does not name one program with certainty, it stays as it
 * is. Thread-safe; one per worker.
 *
 * <p>A package without an exact version or commit is looked up again after a while, but only by
 * starts that may wait for a registry or repository; where that fails, the installed one is used
 * on.
 */
public final class PackagePreparer {
    private static final Logger log = LoggerFactory.getLogger(PackagePreparer.class);

    private final PackageOptions options;
    private final Isolation isolation;
    private final Installer installer;
    private final InstantSource clock;
    private final GitCommits commits;

    /** A preparer; its parts stay the caller's to close. */
    public PackagePreparer(
            PackageOptions options,
            Isolation isolation,
            ProcessLauncher launcher,
            Termination termination,
            Deletion deletion,
            InstantSource clock) {
        this.options = options;
        this.isolation = isolation;
        this.clock = clock;
        this.installer = new Installer(options, isolation, launcher, termination, deletion, clock);
        this.commits = new GitCommits(options, installer, clock);
    }

    /** Policy for looking a package up in its registry. */
    public enum Lookup {
        /** Where it is missing, or older than it may be. */
        WHEN_DUE,
        /** Only where it is missing. */
        WHEN_MISSING
    }

    /**
     * Whether what is configured under this name may count for the package, not only its server.
     */
    public static boolean reads(String variable) {
        return InstallEnvironment.reads(variable);
    }

    /**
     * The package that must be fetched before this program can be started, for people; null when
     * there is none, or it is there.
     */
    public @Nullable String missing(ServerProgram program, Lookup lookup) {
        var preparation = plan(program);
        if (preparation == null) {
            return null;
        }
        var git = preparation.line().git();
        if (git != null && !git.isCommit()) {
            return commits.present(preparation, git, lookup == Lookup.WHEN_DUE) == null
                    ? preparation.line().spec()
                    : null;
        }
        var installed = preparation.store().newest();
        return installed == null || due(preparation, installed, lookup)
                ? preparation.line().spec()
                : null;
    }

    /**
     * What to start for this program. Waits for the installation of its package where that is not
     * there; when no caller waits for it any more it is cancelled.
     *
     * @param progress called with what is being done, for people; on other threads too
     * @throws PackageException when there is no package to start
     * @throws InterruptedException when the start is given up
     */
    public ServerProgram prepare(ServerProgram program, Lookup lookup, Consumer<String> progress)
            throws PackageException, InterruptedException {
        var preparation = plan(program);
        if (preparation == null) {
            return program;
        }
        var git = preparation.line().git();
        if (git != null) {
            return ofRepository(preparation, git, lookup, progress);
        }
        var installed = preparation.store().newest();
        if (installed == null) {
            installed = installer.install(preparation, progress);
        } else if (due(preparation, installed, lookup)) {
            installed = installer.refresh(preparation, installed, progress);
        }
        return direct(preparation, installed);
    }

    private ServerProgram ofRepository(
            Preparation preparation, GitSpec git, Lookup lookup, Consumer<String> progress)
            throws PackageException, InterruptedException {
        var present = git.isCommit() ? preparation.store().newest() : null;
        if (present != null) {
            return direct(preparation, present);
        }
        if (WrapperLookup.find("git", preparation.searchPath()) == null) {
            throw new PackageException(
                    "The package %s is in a git repository, and git is not installed on the worker: install it there, or publish the package to a registry"
                            .formatted(preparation.line().spec()));
        }
        if (git.isCommit()) {
            return direct(preparation, installer.install(preparation, progress));
        }
        var found = commits.installed(preparation, git, lookup == Lookup.WHEN_DUE, progress);
        return direct(found.preparation(), found.installed());
    }

    /** The program itself, or where it is not certain which that is, the command as written. */
    private ServerProgram direct(Preparation preparation, Installed installed) {
        var program = preparation.program();
        var line = InstalledProgram.actual(preparation.line(), installed);
        var found = line == null ? null : InstalledProgram.find(line, installed.made());
        return line == null || found == null
                ? program
                : preparation.direct(installed, line, found, isolation.home(program));
    }

    private boolean due(Preparation preparation, Installed installed, Lookup lookup) {
        return lookup == Lookup.WHEN_DUE
                && !preparation.line().pinned()
                && installed.since().plus(options.refreshAfter()).isBefore(clock.instant())
                && installer.mayRefresh(preparation);
    }

    /** Null where the program is to run as it is written. */
    private @Nullable Preparation plan(ServerProgram program) {
        var line = options.prepare() ? PackageLines.parse(program.command()) : null;
        var environment =
                line == null ? null : InstallEnvironment.of(line.manager(), program.environment());
        if (line == null
                || environment == null
                || (line.git() != null && GitEnvironment.isConfiguredBy(program.environment()))) {
            return null;
        }
        try {
            return plan(program, line, environment);
        } catch (UncheckedIOException e) {
            log.atWarn()
                    .addKeyValue("team_id", program.home().owner())
                    .addKeyValue("reason", e.getMessage())
                    .log("Packages cannot be prepared: their commands run as written");
            return null;
        }
    }

    private @Nullable Preparation plan(
            ServerProgram program, PackageLine line, Map<String, String> environment) {
        var searchPath = isolation.searchPath(program);
        var home = isolation.home(program);
        // Where the program starts: here, or enclosed in its home.
        boolean enclosed = !home.inside().equals(home.host());
        var manager =
                enclosed && NpmProject.isIn(home.host())
                        ? null
                        : WrapperLookup.find(
                                line, searchPath, enclosed ? null : Path.of("").toAbsolutePath());
        if (manager == null) {
            return null;
        }
        var git = line.git();
        boolean scripts =
                git == null
                        ? options.scripts().contains(line.name())
                        : git.isAmong(options.scripts());
        return new Preparation(
                program,
                line,
                manager,
                WrapperLookup.globalConfig(searchPath),
                environment,
                searchPath,
                scripts,
                environment.isEmpty() ? options.npmrc() : null,
                Preparation.store(isolation, program, line, environment, scripts),
                isolation);
    }
}
