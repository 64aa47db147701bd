package dev.perigee.worker.process;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Disk usage of deleted files that processes still have open or mapped: they fill the disk, and no
 * walk finds them. Where the kernel does not let the descriptors of a process be seen, its files do
 * not count; where it does not let what is mapped be opened, which takes root of the host, only the
 * mapped part of a file counts.
 */
final class RemovedFiles {
    private static final String REMOVED = " (deleted)";

    /** proc_pid_maps(5): from, to, permissions, offset, device, inode. */
    private static final Pattern MAPPING =
            Pattern.compile(
                    "([0-9a-f]+)-([0-9a-f]+) \\S+ ([0-9a-f]+) ([0-9a-f]+):([0-9a-f]+) (\\d+) .*",
                    Pattern.DOTALL);

    /**
     * Bounds on what is read of one tree.
     *
     * @param descriptors open files
     * @param characters that the kernel writes of its mappings
     */
    record Most(int descriptors, long characters) {
        static final Most USUAL = new Most(100_000, 100_000_000);
    }

    /**
     * Usage of one tree.
     *
     * @param complete false where it has more than is looked at
     */
    record Found(long bytes, boolean complete) {}

    private final long device;
    private final Most most;

    /** By inode. */
    private final Map<Long, Long> sizes = new HashMap<>();

    private int descriptors;
    private long characters;

    private RemovedFiles(long device, Most most) {
        this.device = device;
        this.most = most;
    }

    /** Those on the file system of a home; each file once. */
    static Found of(List<ProcessEntry> members, Path home, Most most) {
        try {
            var files = new RemovedFiles((Long) Files.getAttribute(home, "unix:dev"), most);
            for (var member : members) {
                var process = Path.of("/proc", Long.toString(member.pid()));
                files.countOpen(process.resolve("fd"));
                files.countMapped(process);
            }
            var bytes = files.sizes.values().stream().mapToLong(Long::longValue).sum();
            return new Found(bytes, files.complete());
        } catch (IOException | UnsupportedOperationException e) {
            return new Found(0, true);
        }
    }

    private boolean complete() {
        return descriptors <= most.descriptors() && characters <= most.characters();
    }

    private void countOpen(Path directory) {
        try (var links = Files.newDirectoryStream(directory)) {
            for (var link : links) {
                descriptors++;
                if (!complete()) {
                    return;
                }
                countOpenOne(link);
            }
        } catch (IOException | DirectoryIteratorException e) {
            // The process has ended, or is closed to the worker.
            return;
        }
    }

    private void countOpenOne(Path link) {
        try {
            count(link);
        } catch (IOException e) {
            // It was closed meanwhile, and the others are still to be looked at.
            return;
        }
    }

    /** The link leads to the open file itself, also where its name is another's by now. */
    private void count(Path link) throws IOException {
        if (!Files.readSymbolicLink(link).toString().endsWith(REMOVED)) {
            return;
        }
        var file = Files.readAttributes(link, "unix:dev,ino,size,isRegularFile");
        boolean here = Long.valueOf(device).equals(file.get("dev"));
        boolean regular = Boolean.TRUE.equals(file.get("isRegularFile"));
        if (here
                && regular
                && file.get("ino") instanceof Long inode
                && file.get("size") instanceof Long size) {
            sizes.merge(inode, size, Math::max);
        }
    }

    private void countMapped(Path process) {
        try (var maps =
                Files.newBufferedReader(process.resolve("maps"), StandardCharsets.ISO_8859_1)) {
            for (var line = line(maps); line != null && complete(); line = line(maps)) {
                characters += line.length();
                if (line.endsWith(REMOVED)) {
                    countMapping(process, MAPPING.matcher(line));
                }
            }
        } catch (IOException e) {
            // The process has ended, or is closed to the worker.
            return;
        }
    }

    /** Up to a line feed, the one character that no name contains here; null at the end. */
    private static @Nullable String line(Reader maps) throws IOException {
        var line = new StringBuilder();
        for (int next = maps.read(); next >= 0 && next != '\n'; next = maps.read()) {
            line.append((char) next);
        }
        return line.isEmpty() ? null : line.toString();
    }

    private void countMapping(Path process, Matcher line) {
        if (!line.matches()) {
            return;
        }
        long from = number(line, 1);
        long to = number(line, 2);
        var range = Long.toHexString(from) + '-' + Long.toHexString(to);
        try {
            count(process.resolve("map_files").resolve(range));
        } catch (IOException e) {
            if (number(line, 4) == major() && number(line, 5) == minor()) {
                sizes.merge(Long.valueOf(line.group(6)), number(line, 3) + to - from, Math::max);
            }
        }
    }

    private static long number(Matcher line, int group) {
        return Long.parseUnsignedLong(line.group(group), 16);
    }

    /** As the C library takes a device apart, makedev(3). */
    private long major() {
        return ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
    }

    private long minor() {
        return (device & 0xff) | ((device >>> 12) & ~0xffL);
    }
}
