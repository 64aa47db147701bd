package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** User of the host that the worker runs as. */
final class HostUser {
    private static final Path SELF = Path.of("/proc/self");

    private HostUser() {}

    /** Whether it is the host's root, also seen from within a container without its own users. */
    static boolean isRoot() {
        try {
            var user = (Integer) Files.getAttribute(SELF, "unix:uid");
            var mapping = Files.readString(SELF.resolve("uid_map")).strip().split("\\s+");
            return user == 0 && mapping[0].equals("0") && mapping[1].equals("0");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
