package dev.perigee.worker.process.packages;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Effects of a project around the directory that npx is started in: npx prefers a package or a
 * program that is installed there, and heeds the project's configuration.
 */
final class NpmProject {
    private static final int LARGEST_MANIFEST = 1 << 20;

    private NpmProject() {}

    /** Whether there is one in the home of enclosed programs, which can put anything there. */
    static boolean isIn(Path home) {
        return Stream.of("node_modules", "package.json", ".npmrc")
                .anyMatch(name -> Files.exists(home.resolve(name), LinkOption.NOFOLLOW_LINKS));
    }

    /** Whether npx might run something else there than what a registry has. */
    static boolean mayProvide(Path directory, PackageLine line) throws IOException {
        for (var at = directory.toAbsolutePath(); at != null; at = at.getParent()) {
            var modules = at.resolve("node_modules");
            if (Files.exists(modules.resolve(line.name()))
                    || Files.exists(modules.resolve(".bin").resolve(line.spec()))) {
                return true;
            }
            var manifest = at.resolve("package.json");
            boolean project = Files.exists(manifest) || Files.exists(modules);
            if ((project || at.equals(directory)) && Files.exists(at.resolve(".npmrc"))) {
                return true;
            }
            if (Files.isRegularFile(manifest) && mentions(manifest, line.name())) {
                return true;
            }
        }
        return false;
    }

    private static boolean mentions(Path manifest, String name) throws IOException {
        try (var content = Files.newInputStream(manifest)) {
            var bytes = content.readNBytes(LARGEST_MANIFEST);
            return bytes.length == LARGEST_MANIFEST
                    || new String(bytes, StandardCharsets.UTF_8).contains('"' + name + '"');
        }
    }
}
