package dev.perigee.worker.process.packages;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of package preparation; {@link PackageSettings} has the keys and explains each.
 *
 * @param prepare whether at all
 * @param branchesAfter how long a branch or tag of a repository is taken to be where it was
 * @param refreshTimeout how long a newer version is looked for where there is an older one
 * @param scripts names of packages and repositories whose installation may run programs of the
 *     package
 * @param npmrc npm's configuration for packages that all teams share
 */
public record PackageOptions(
        boolean prepare,
        Duration timeout,
        int parallel,
        Duration refreshAfter,
        Duration branchesAfter,
        Duration refreshTimeout,
        Duration keep,
        List<String> scripts,
        @Nullable Path npmrc) {

    public PackageOptions {
        scripts = List.copyOf(scripts);
    }
}
