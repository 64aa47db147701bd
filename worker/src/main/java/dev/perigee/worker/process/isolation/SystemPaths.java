package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What programs in a jail see of the host, as found on this one.
 *
 * @param readOnly the system's directories, and where names are resolved if that is elsewhere
 * @param hiddenFiles among those, files that programs find empty
 * @param hiddenDirectories among those, directories that programs find empty
 */
record SystemPaths(List<Path> readOnly, List<Path> hiddenFiles, List<Path> hiddenDirectories) {

    /** The size of what hides a directory; nothing is written there. */
    static final long PAGE_BYTES = 4096;

    private static final List<Path> SYSTEM =
            List.of(
                    Path.of("/usr"),
                    Path.of("/lib"),
                    Path.of("/lib64"),
                    Path.of("/bin"),
                    Path.of("/sbin"),
                    Path.of("/etc"));
    private static final Path RESOLVER = Path.of("/etc/resolv.conf");

    SystemPaths {
        readOnly = List.copyOf(readOnly);
        hiddenFiles = List.copyOf(hiddenFiles);
        hiddenDirectories = List.copyOf(hiddenDirectories);
    }

    /** Looks at this host. */
    static SystemPaths find(List<Path> hidden) {
        var readOnly = new ArrayList<>(SYSTEM.stream().filter(Files::exists).toList());
        try {
            // A link into /run on many systems, which a jail does not have.
            var resolver = RESOLVER.toRealPath();
            if (SYSTEM.stream().noneMatch(resolver::startsWith)) {
                readOnly.add(resolver);
            }
        } catch (IOException e) {
            // None: the host resolves no names either.
        }
        return new SystemPaths(
                readOnly,
                hidden.stream().filter(Files::isRegularFile).toList(),
                hidden.stream().filter(Files::isDirectory).toList());
    }
}
