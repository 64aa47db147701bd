package dev.perigee.local.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of a local fleet: the broker's data and the token that gateways show to workers, readable
 * by the user only and never an argument.
 *
 * <p>The fleet id tells fleets on one machine apart. A kept directory keeps it, so that a fleet
 * started again is known to be the one that hosted the partitions before.
 */
final class FleetDirectory implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FleetDirectory.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path path;
    private final boolean temporary;
    private final String fleetId;
    private final FileChannel lock;

    private FleetDirectory(Path path, boolean temporary, String fleetId, FileChannel lock) {
        this.path = path;
        this.temporary = temporary;
        this.fleetId = fleetId;
        this.lock = lock;
    }

    /** Prepares the given directory, or a temporary one when there is none. */
    static FleetDirectory create(@Nullable Path kept) throws IOException {
        var path =
                kept == null
                        ? Files.createTempDirectory("perigee-dev-")
                        : Files.createDirectories(kept.toAbsolutePath());
        var lock = lock(path);
        var directory =
                new FleetDirectory(path, kept == null, fleetId(path.resolve("fleet-id")), lock);
        Files.deleteIfExists(directory.token());
        var onlyMine = PosixFilePermissions.fromString("rw-------");
        Files.createFile(directory.token(), PosixFilePermissions.asFileAttribute(onlyMine));
        Files.writeString(directory.token(), random(32));
        return directory;
    }

    /** Held by this process only; the system lets go of it when the process ends. */
    private static FileChannel lock(Path path) throws IOException {
        var channel =
                FileChannel.open(
                        path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // Another fleet of this JVM has it.
        }
        channel.close();
        throw new PartFailedException(
                "Another fleet uses " + path + ": stop it, or give this one another --data");
    }

    private static String fleetId(Path file) throws IOException {
        if (!Files.exists(file)) {
            Files.writeString(file, random(4));
        }
        return Files.readString(file).strip();
    }

    private static String random(int length) {
        var bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    Path topics() {
        return path.resolve("kafka");
    }

    Path token() {
        return path.resolve("link-token");
    }

    String fleetId() {
        return fleetId;
    }

    /** Removes what is not meant to be kept. */
    @Override
    public void close() {
        try {
            if (temporary && Files.exists(path)) {
                try (var paths = Files.walk(path)) {
                    for (var each : paths.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(each);
                    }
                }
            } else if (!temporary) {
                Files.deleteIfExists(token());
            }
            lock.close();
        } catch (IOException | UncheckedIOException e) {
            log.atWarn()
                    .addKeyValue("directory", path)
                    .setCause(e)
                    .log("Cannot remove the fleet's temporary files");
        }
    }
}
