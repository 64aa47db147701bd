package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Paths of the host that programs in a jail see, as found at one moment.
 *
 * @param readOnly the system's directories, and where names are resolved if that is elsewhere
 * @param submounts what is mounted below any path that programs see, outer ones first
 * @param hiddenFiles among those, files that programs find empty
 * @param hiddenDirectories among those, directories that programs find empty
 */
record SystemPaths(
        List<Path> readOnly,
        List<Submount> submounts,
        List<Path> hiddenFiles,
        List<Path> hiddenDirectories) {

    /** The size of what hides a directory; nothing is written there. */
    static final long PAGE_BYTES = 4096;

    /** As many as Linux follows. */
    private static final int MOST_LINKS = 40;

    private static final List<Path> SYSTEM =
            List.of(
                    Path.of("/usr"),
                    Path.of("/lib"),
                    Path.of("/lib64"),
                    Path.of("/bin"),
                    Path.of("/sbin"),
                    Path.of("/etc"));
    static final Path HOSTS = Path.of("/etc/hosts");
    private static final Path RESOLVER = Path.of("/etc/resolv.conf");

    SystemPaths {
        readOnly = List.copyOf(readOnly);
        submounts = List.copyOf(submounts);
        hiddenFiles = List.copyOf(hiddenFiles);
        hiddenDirectories = List.copyOf(hiddenDirectories);
    }

    /**
     * Looks at this host.
     *
     * @param caches the cache directory; hidden where programs would see it
     */
    static SystemPaths find(JailPolicy policy, Path caches) {
        var readOnly = new ArrayList<>(SYSTEM.stream().filter(Files::exists).toList());
        resolver()
                .filter(file -> SYSTEM.stream().noneMatch(file::startsWith))
                .ifPresent(readOnly::add);
        var hidden = new ArrayList<>(policy.hidden());
        var mountPoints = Submount.mountPoints();
        var submounts = new ArrayList<Submount>();
        for (var visible : Stream.concat(readOnly.stream(), policy.readOnly().stream()).toList()) {
            seen(visible, caches).ifPresent(hidden::add);
            submounts.addAll(Submount.below(visible, mountPoints));
        }
        return new SystemPaths(
                readOnly,
                submounts,
                hidden.stream().filter(Files::isRegularFile).toList(),
                hidden.stream().filter(Files::isDirectory).distinct().toList());
    }

    /**
     * Whether programs see anything of what is at a path now, wherever links lead; what is mounted
     * there from elsewhere is not looked for. What is hidden must be there to be so, and no link.
     */
    static boolean letsSee(List<Path> readOnly, List<Path> hidden, Path named) {
        var path = real(named);
        return Stream.concat(SYSTEM.stream(), readOnly.stream())
                        .map(SystemPaths::real)
                        .anyMatch(seen -> path.startsWith(seen) || seen.startsWith(path))
                && hidden.stream()
                        .filter(each -> Files.isDirectory(each) && real(each).equals(each))
                        .noneMatch(path::startsWith);
    }

    /** Where a path leads, also by links to what is not there yet. */
    private static Path real(Path path) {
        return real(path, MOST_LINKS);
    }

    private static Path real(Path path, int links) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            var parent = path.getParent();
            var name = path.getFileName();
            if (parent == null || name == null) {
                return path;
            }
            var place = real(parent, links).resolve(name).normalize();
            return links > 0 && Files.isSymbolicLink(place) ? linked(place, links - 1) : place;
        }
    }

    private static Path linked(Path link, int links) {
        try {
            return real(link.resolveSibling(Files.readSymbolicLink(link)), links);
        } catch (IOException e) {
            return link;
        }
    }

    /**
     * The file that says where names are resolved: a link into /run on many systems, which a jail
     * does not have. None where the host resolves no names either.
     */
    static Optional<Path> resolver() {
        try {
            return Optional.of(RESOLVER.toRealPath());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** What is seen of the caches below a path; none where they are elsewhere. */
    private static Optional<Path> seen(Path visible, Path caches) {
        try {
            var below = visible.toRealPath();
            var real = caches.toRealPath();
            return real.startsWith(below)
                    ? Optional.of(visible.resolve(below.relativize(real)))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
