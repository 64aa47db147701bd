package dev.perigee.worker.process.packages;

import dev.perigee.worker.log.SecretMask;
import dev.perigee.worker.process.packages.PackageStore.Installed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits of branches, tags and default branches. Which one it was last is in a file of the
 * worker's, and becomes another once that one's package is prepared: a branch that moved to a
 * commit that does not build leaves servers at the one before it. Thread-safe.
 */
final class GitCommits {
    private static final Logger log = LoggerFactory.getLogger(GitCommits.class);
    private static final String FILE = "commit";
    private static final int LARGEST_FILE = 100;

    private final PackageOptions options;
    private final Installer installer;
    private final InstantSource clock;

    GitCommits(PackageOptions options, Installer installer, InstantSource clock) {
        this.options = options;
        this.installer = installer;
        this.clock = clock;
    }

    /** A package by its commit, which is there. */
    record Found(Preparation preparation, Installed installed) {}

    /** What a reference was last, and when that was seen. */
    private record Known(String commit, Instant since) {}

    /** What a start would use that may not wait; null when it has to. */
    @Nullable Found present(Preparation floating, GitSpec git, boolean mayLook) {
        var known = known(floating);
        if (known == null) {
            return null;
        }
        var pinned = floating.at(git.at(known.commit()));
        var installed = pinned.store().newest();
        return installed == null || (mayLook && due(floating, known))
                ? null
                : new Found(pinned, installed);
    }

    /**
     * The package to start, installed. Where a newer commit cannot be had, the one before.
     *
     * @param mayLook whether the start may wait for the repository though a package is there
     */
    Found installed(Preparation floating, GitSpec git, boolean mayLook, Consumer<String> progress)
            throws PackageException, InterruptedException {
        var present = present(floating, git, mayLook);
        if (present != null) {
            return present;
        }
        var known = known(floating);
        if (known == null) {
            return newest(floating, git, false, progress);
        }
        var before = floating.at(git.at(known.commit()));
        var old = before.store().newest();
        if (old == null && !mayLook) {
            return new Found(before, installer.install(before, progress));
        }
        try {
            return newest(floating, git, old != null, progress);
        } catch (PackageException e) {
            if (old == null) {
                throw e;
            }
            installer.pause(floating);
            log.atWarn()
                    .addKeyValue("team_id", floating.team())
                    .addKeyValue("package", floating.line().spec())
                    .addKeyValue("commit", known.commit())
                    .addKeyValue(
                            "reason",
                            SecretMask.of(List.of(), floating.environment().values())
                                    .apply(String.valueOf(e.getMessage())))
                    .log("Cannot prepare the newest commit; using the one before");
            progress.accept(
                    "staying at the commit %s: %s"
                            .formatted(git.at(known.commit()).brief(), e.getMessage()));
            return new Found(before, old);
        }
    }

    private Found newest(
            Preparation floating, GitSpec git, boolean replaces, Consumer<String> progress)
            throws PackageException, InterruptedException {
        var limit = replaces ? options.refreshTimeout() : options.timeout();
        var commit = installer.look(floating, git, limit, progress);
        var pinned = floating.at(git.at(commit));
        var there = pinned.store().newest();
        var installed = there == null ? installer.install(pinned, progress) : there;
        remember(floating, commit);
        return new Found(pinned, installed);
    }

    private boolean due(Preparation floating, Known known) {
        return known.since().plus(options.branchesAfter()).isBefore(clock.instant())
                && installer.mayRefresh(floating);
    }

    private static @Nullable Known known(Preparation floating) {
        var file = floating.store().file(FILE);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        try (var content = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            var commit =
                    new String(content.readNBytes(LARGEST_FILE), StandardCharsets.US_ASCII).strip();
            return GitSpec.isCommit(commit)
                    ? new Known(commit, Files.getLastModifiedTime(file).toInstant())
                    : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Workers that share a cache replace each other's whole file. */
    private static void remember(Preparation floating, String commit) throws PackageException {
        var file = floating.store().file(FILE);
        Path draft = floating.store().file("." + UUID.randomUUID());
        try {
            Files.writeString(draft, commit + "\n");
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new PackageException(
                    "The package %s could not be prepared: its commit cannot be kept: %s"
                            .formatted(floating.line().spec(), e.getMessage()),
                    e);
        }
    }
}
