package dev.perigee.worker.secret;

import dev.perigee.worker.process.Tenant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

/**
 * Secrets in files, {@code TEAM/USER/NAME} below a directory, read at each use: a file that was
 * replaced counts from the next one on. A directory that does not answer holds up nobody for longer
 * than {@link #LIMIT}, and no carrier thread at all.
 *
 * <p>Symbolic links are followed within the directory of the user, and from the top to it where
 * what they lead to ends in {@code TEAM/USER} as well: so volumes of Kubernetes are made. Whatever
 * leads elsewhere is refused, so that no name reaches another user's file.
 */
final class FileSecrets implements SecretSource {
    /** A volume that is being exchanged is there again at once. */
    private static final int ATTEMPTS = 3;

    private static final int PARALLEL = 8;

    /** For the files of one configuration together. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final BlockingReads reads = new BlockingReads(PARALLEL);

    /** A read of each of these users hangs; a further one would take one more thread. */
    private final ConcurrentHashMap<Tenant, Reading> hanging = new ConcurrentHashMap<>();

    private final Path directory;

    FileSecrets(Path directory) {
        this.directory = directory;
    }

    /** A read whose thread may go on when nobody waits any more. */
    private final class Reading implements Callable<String> {
        private final SecretAddress address;
        private final Tenant user;
        private boolean running;
        private boolean abandoned;

        Reading(SecretAddress address) {
            this.address = address;
            this.user = new Tenant(address.teamId(), address.userId());
        }

        @Override
        public String call() throws IOException, SecretException {
            synchronized (this) {
                running = true;
            }
            try {
                return read(address);
            } finally {
                synchronized (this) {
                    running = false;
                    if (abandoned) {
                        hanging.remove(user, this);
                    }
                }
            }
        }

        synchronized void abandon() {
            if (running) {
                abandoned = true;
                hanging.put(user, this);
            }
        }
    }

    @Override
    public Duration reuse() {
        return Duration.ZERO;
    }

    @Override
    public int parallel() {
        return PARALLEL;
    }

    @Override
    public Duration limit() {
        return LIMIT;
    }

    @Override
    public String read(SecretAddress address, long deadlineNanos)
            throws SecretException, InterruptedException {
        var reading = new Reading(address);
        if (hanging.containsKey(reading.user)) {
            throw late(address);
        }
        try {
            return reads.read(reading, deadlineNanos);
        } catch (TimeoutException e) {
            reading.abandon();
            throw late(address);
        } catch (IOException e) {
            throw SecretException.outage(
                    address.name(), "the worker may not read its file, or cannot");
        }
    }

    private String read(SecretAddress address) throws SecretException, IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return SecretText.of(address.name(), bytes(address));
            } catch (NoSuchFileException e) {
                if (attempt == ATTEMPTS) {
                    throw missing(address);
                }
            } catch (InvalidPathException e) {
                throw missing(address);
            }
        }
    }

    private byte[] bytes(SecretAddress address) throws IOException, SecretException {
        var file = place(address);
        var attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile()) {
            throw new SecretException(address.name(), "it is no file");
        }
        try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return in.readNBytes(SecretText.MAX_BYTES + 1);
        }
    }

    /** Where the file really is, which is below its user's directory. */
    private Path place(SecretAddress address) throws IOException, SecretException {
        var top = directory.toRealPath();
        var own = Path.of(address.teamId(), address.userId());
        var user = top.resolve(own).toRealPath();
        var file = user.resolve(address.name()).toRealPath();
        if (!user.startsWith(top) || !user.endsWith(own) || !file.startsWith(user)) {
            throw new SecretException(
                    address.name(), "its file is a link that leads out of its user's directory");
        }
        return file;
    }

    private static SecretException late(SecretAddress address) {
        return SecretException.outage(address.name(), "its file was not read in time");
    }

    private static SecretException missing(SecretAddress address) {
        return new SecretException(
                address.name(),
                "there is no file TEAM/USER/" + address.name() + " below secrets.directory");
    }
}
