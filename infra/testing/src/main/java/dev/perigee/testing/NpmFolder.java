package dev.perigee.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A folder with a {@code package-lock.json}, installed once per lock file: the first test that asks
 * runs {@code npm ci}, others, in this JVM or another, wait for it.
 */
public final class NpmFolder {
    private static final Duration INSTALL_TIMEOUT = Duration.ofMinutes(5);

    private final Path folder;

    private NpmFolder(Path folder) {
        this.folder = folder;
    }

    /** Installs what the lock file names unless that is done already; gives the folder. */
    public static Path installed(Path folder) {
        new NpmFolder(folder).install();
        return folder;
    }

    private void install() {
        synchronized (NpmFolder.class) {
            try {
                var lock = Files.createDirectories(folder.resolveSibling("target"));
                try (var channel =
                                FileChannel.open(
                                        lock.resolve(folder.getFileName() + ".lock"),
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.WRITE);
                        var _ = channel.lock()) {
                    if (!upToDate()) {
                        run(lock.resolve(folder.getFileName() + "-ci.log"));
                        Files.copy(wanted(), present(), StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot install " + folder + " from npm", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while npm ci ran", e);
            }
        }
    }

    private boolean upToDate() throws IOException {
        return Files.exists(present()) && Files.mismatch(wanted(), present()) < 0;
    }

    private Path wanted() {
        return folder.resolve("package-lock.json");
    }

    /** A copy of the lock file, made after npm ci succeeded. */
    private Path present() {
        return folder.resolve("node_modules/.installed-lock.json");
    }

    private void run(Path log) throws IOException, InterruptedException {
        var process =
                new ProcessBuilder(List.of("npm", "ci"))
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        process.getOutputStream().close();
        if (!process.waitFor(INSTALL_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new IOException("npm ci did not end within " + INSTALL_TIMEOUT + ", see " + log);
        }
        if (process.exitValue() != 0) {
            throw new IOException(
                    "npm ci in "
                            + folder
                            + " failed with exit code "
                            + process.exitValue()
                            + "; it needs Node 20 or newer and the npm registry. It said:\n"
                            + Files.readString(log));
        }
    }
}
