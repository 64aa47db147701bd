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
 * The reference MCP servers from npm, pinned by {@code infra/testing/npm/package-lock.json} and
 * installed once per lock file: the first test that asks runs {@code npm ci}, others, in this JVM
 * or another, wait for it.
 */
public final class NpmServers {

    private static final Duration INSTALL_TIMEOUT = Duration.ofMinutes(5);

    private final Path folder;

    private NpmServers(Path folder) {
        this.folder = folder;
    }

    /** Installs what the lock file names unless that is done already, and tells where it is. */
    public static NpmServers installed() {
        var servers = new NpmServers(Checkout.testing("npm"));
        servers.install();
        return servers;
    }

    /** The script of one server, to be run by node: {@code everything}, {@code filesystem}, … */
    public Path entry(String server) {
        var entry =
                folder.resolve(
                        "node_modules/@modelcontextprotocol/server-" + server + "/dist/index.js");
        if (!Files.isRegularFile(entry)) {
            throw new IllegalArgumentException(
                    "No server " + server + " in " + folder.resolve("package.json"));
        }
        return entry;
    }

    /** Everything that is installed. */
    public Path modules() {
        return folder.resolve("node_modules");
    }

    private void install() {
        synchronized (NpmServers.class) {
            try {
                var lock = Files.createDirectories(folder.resolveSibling("target"));
                try (var channel =
                                FileChannel.open(
                                        lock.resolve("npm.lock"),
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.WRITE);
                        var _ = channel.lock()) {
                    if (!upToDate()) {
                        run(lock.resolve("npm-ci.log"));
                        Files.copy(wanted(), present(), StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot install the MCP servers from npm", e);
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
