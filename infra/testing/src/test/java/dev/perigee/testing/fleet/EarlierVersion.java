package dev.perigee.testing.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.faults.Program;
import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The version before this one, built from the checkout's history: the commit that {@code
 * EARLIER_COMMIT} names, else the last tag before this commit, else the commit before it. It is
 * built once; the worktree of another one is removed.
 */
final class EarlierVersion {
    private static final Duration BUILD = Duration.ofMinutes(30);
    private static final Path WORKTREES = Checkout.root().resolve("infra/testing/target/earlier");

    private EarlierVersion() {}

    /** Its class path; the test that runs is skipped where the checkout has no history. */
    static String classPath() throws IOException, InterruptedException {
        var commit = commit();
        if (commit == null) {
            Program.GIT.cannot("the checkout has no version before this one");
        }
        var tree = WORKTREES.resolve(Objects.requireNonNull(commit));
        if (!Files.isDirectory(tree)) {
            Files.createDirectories(WORKTREES);
            removeOthers();
            run(
                    Checkout.root(),
                    "git",
                    "worktree",
                    "add",
                    "--force",
                    "--detach",
                    tree.toString(),
                    commit);
        }
        // The launcher builds what it runs.
        run(tree, "scripts/perigee", "--version");
        var local = tree.resolve("infra/local/target");
        return local.resolve("classes")
                + ":"
                + Files.readString(local.resolve("classpath")).strip();
    }

    private static void removeOthers() throws IOException, InterruptedException {
        try (var trees = Files.newDirectoryStream(WORKTREES, Files::isDirectory)) {
            for (var tree : trees) {
                run(
                        Checkout.root(),
                        "git",
                        "worktree",
                        "remove",
                        "--force",
                        "--force",
                        tree.toString());
            }
        }
        run(Checkout.root(), "git", "worktree", "prune");
    }

    private static @Nullable String commit() throws IOException, InterruptedException {
        var named = System.getenv("EARLIER_COMMIT");
        if (named != null) {
            return resolved(named);
        }
        var tag = asked("git", "describe", "--tags", "--abbrev=0", "HEAD~1");
        return resolved(tag == null ? "HEAD~1" : tag);
    }

    private static @Nullable String resolved(String name) throws IOException, InterruptedException {
        return asked("git", "rev-parse", "--verify", "--quiet", name + "^{commit}");
    }

    /** What a program says, null when it fails. */
    private static @Nullable String asked(String... command)
            throws IOException, InterruptedException {
        var process =
                new ProcessBuilder(command)
                        .directory(Checkout.root().toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        process.getOutputStream().close();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        return process.waitFor() == 0 ? said : null;
    }

    private static void run(Path directory, String... command)
            throws IOException, InterruptedException {
        var log = Files.createDirectories(WORKTREES).resolve("build.log");
        var process =
                new ProcessBuilder(List.of(command))
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        process.getOutputStream().close();
        if (!process.waitFor(BUILD.toMinutes(), TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new AssertionError("%s has not ended, see %s".formatted(command[0], log));
        }
        if (process.exitValue() != 0) {
            throw new AssertionError("%s failed, see %s".formatted(List.of(command), log));
        }
    }
}
