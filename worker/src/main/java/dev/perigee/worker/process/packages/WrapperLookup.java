package dev.perigee.worker.process.packages;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Finds the package manager behind the wrapper that a command line would run: npm's own beside the
 * first {@code npx} of the search path, uv beside the first {@code uvx}. Anything else by that
 * name, such as a stub or a version manager's shim, is not known to do what is done here.
 */
final class WrapperLookup {
    private static final Path NPX = Path.of("npm", "bin", "npx-cli.js");

    private WrapperLookup() {}

    /**
     * The package manager's program.
     *
     * @param searchPath the {@code PATH} of the command line
     * @param directory where the command starts, and npx looks for a package of the same name
     *     first; null where nothing can be in its way
     * @return null when the wrapper is not known, or would run something that is there already
     */
    static @Nullable Path find(PackageLine line, String searchPath, @Nullable Path directory) {
        try {
            return switch (line.manager()) {
                case NPM -> npm(line, searchPath, directory);
                case UV -> uv(searchPath);
            };
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    private static @Nullable Path npm(PackageLine line, String searchPath, @Nullable Path directory)
            throws IOException {
        var found = first("npx", searchPath);
        if (found == null) {
            return null;
        }
        var real = found.toRealPath();
        var npm = real.resolveSibling("npm-cli.js");
        var modules = real.resolve("../../..").normalize();
        return real.endsWith(NPX)
                        && Files.isExecutable(npm)
                        && !Files.exists(modules.resolve(line.name()))
                        && !Files.exists(found.resolveSibling(line.spec()))
                        && (directory == null || !NpmProject.mayProvide(directory, line))
                ? npm
                : null;
    }

    /**
     * npm's configuration for all users of the machine, which npx reads: npm finds it by its own
     * prefix, and looks elsewhere when it is told another. Null when it is not known.
     */
    static @Nullable Path globalConfig(String searchPath) {
        try {
            var node = first("node", searchPath);
            return node == null ? null : node.toRealPath().resolve("../../etc/npmrc").normalize();
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    private static @Nullable Path uv(String searchPath) throws IOException {
        var found = first("uvx", searchPath);
        var uv = found == null ? null : found.toRealPath().resolveSibling("uv");
        return uv != null && Files.isExecutable(uv) ? uv : null;
    }

    /** Any other program of the search path, null where it is not there. */
    static @Nullable Path find(String program, String searchPath) {
        try {
            return first(program, searchPath);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static @Nullable Path first(String program, String searchPath) {
        for (var entry : searchPath.split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                var file = Path.of(entry).toAbsolutePath().resolve(program);
                if (Files.isRegularFile(file) && Files.isExecutable(file)) {
                    return file;
                }
            }
        }
        return null;
    }
}
