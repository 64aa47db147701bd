package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What files take that have no name any more because they were removed while processes have them
 * open: they fill the disk, and no walk finds them. Where the kernel does not let the descriptors
 * of a process be seen, its files do not count.
 */
final class RemovedFiles {
    private static final String REMOVED = " (deleted)";

    /** So many descriptors of one tree are looked at. */
    private static final int MOST = 100_000;

    private final Object device;
    private final Set<Object> counted = new HashSet<>();
    private int looked;
    private long bytes;

    private RemovedFiles(Object device) {
        this.device = device;
    }

    /** In bytes, of those on the file system of a home; each file once. */
    static long bytes(List<ProcessEntry> members, Path home) {
        try {
            var files = new RemovedFiles(Files.getAttribute(home, "unix:dev"));
            for (var member : members) {
                files.count(Path.of("/proc", Long.toString(member.pid()), "fd"));
            }
            return files.bytes;
        } catch (IOException | UnsupportedOperationException e) {
            return 0;
        }
    }

    private void count(Path descriptors) {
        try (var links = Files.newDirectoryStream(descriptors)) {
            for (var link : links) {
                if (looked++ == MOST) {
                    return;
                }
                countOne(link);
            }
        } catch (IOException | DirectoryIteratorException e) {
            // The process has ended, or is closed to the worker.
            return;
        }
    }

    /** The link leads to the open file itself, also where its name is another's by now. */
    private void countOne(Path link) throws IOException {
        if (!Files.readSymbolicLink(link).toString().endsWith(REMOVED)) {
            return;
        }
        var file = Files.readAttributes(link, "unix:dev,ino,size,isRegularFile");
        boolean here = device.equals(file.get("dev"));
        boolean regular = Boolean.TRUE.equals(file.get("isRegularFile"));
        if (here && regular && file.get("size") instanceof Long size) {
            var number = file.get("ino");
            if (number != null && counted.add(number)) {
                bytes += size;
            }
        }
    }
}
